package dev.offsetd.server.admin.diff;

import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.MemberChange;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.admin.builds.PagePath;
import dev.offsetd.server.admin.format.Format;
import dev.offsetd.server.answers.types.LayoutComparison;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Comparison of all types of two builds, grouped by the type sets that need them. */
final class BuildDifferences {

    /** Types that are in memory with their layouts at one time. */
    static final int BATCH = 500;

    /** Most types that a group shows; all are counted. */
    private static final int MAX_SHOWN = 500;

    /** A Linux kernel takes longer; its remaining types are left out. */
    private static final Duration MOST = Duration.ofSeconds(5);

    private final LayoutComparison.ComparedBuilds sides;
    private final List<GroupBuilder> groups;
    private final GroupBuilder others = new GroupBuilder("Other types", Set.of());
    private final Set<String> found = new HashSet<>();

    private BuildDifferences(LayoutComparison.ComparedBuilds sides, List<TypeSet> sets) {
        this.sides = sides;
        this.groups = sets.stream()
                .map(set -> new GroupBuilder("@" + set.name(), names(set)))
                .toList();
    }

    private static Set<String> names(TypeSet set) {
        return set.items().stream().map(Item::typeNames).flatMap(Set::stream).collect(Collectors.toSet());
    }

    /** Compares the types, those of sets first, until all are compared or the time is over. */
    static DiffPage.BuildComparison of(LayoutComparison.ComparedBuilds sides, List<TypeSet> sets) {
        return new BuildDifferences(sides, sets).compare(System.nanoTime() + MOST.toNanos());
    }

    private DiffPage.BuildComparison compare(long deadline) {
        Set<String> all = new TreeSet<>(sides.from().extractedNames());
        all.addAll(sides.to().extractedNames());
        List<String> names = new ArrayList<>(all.size());
        all.stream().filter(name -> groupsOf(name).getFirst() != others).forEach(names::add);
        names.forEach(all::remove);
        names.addAll(all);
        int compared = 0;
        while (compared < names.size() && (compared == 0 || System.nanoTime() < deadline)) {
            List<String> batch = names.subList(compared, Math.min(names.size(), compared + BATCH));
            batch.forEach(name -> groupsOf(name).forEach(GroupBuilder::count));
            LayoutDiff.ofNames(
                            Set.copyOf(batch), sides.from().types(), sides.to().types(), null)
                    .forEach(this::add);
            compared += batch.size();
        }
        return new DiffPage.BuildComparison(
                Differences.machine(sides.from()),
                Differences.machine(sides.to()),
                Stream.concat(groups.stream(), Stream.of(others))
                        .filter(group -> group.count > 0)
                        .map(GroupBuilder::build)
                        .toList(),
                compared,
                names.size(),
                found.size());
    }

    private List<GroupBuilder> groupsOf(String type) {
        String name = TypeNames.unqualified(TypeNames.normalize(type));
        List<GroupBuilder> needing =
                groups.stream().filter(group -> group.names.contains(name)).toList();
        return needing.isEmpty() ? List.of(others) : needing;
    }

    private void add(TypeDiff diff) {
        // A type that others hold by value is in the result of each batch with one of them.
        if (found.add(diff.name())) {
            groupsOf(diff.name()).forEach(group -> group.add(diff.status(), type(diff)));
        }
    }

    private DiffPage.ChangedType type(TypeDiff diff) {
        Map<MemberChange.Kind, Integer> counts = new EnumMap<>(MemberChange.Kind.class);
        diff.members().forEach(change -> change.kinds().forEach(kind -> counts.merge(kind, 1, Integer::sum)));
        String members = counts.entrySet().stream()
                .map(count -> Format.count(count.getValue()) + " " + Differences.word(count.getKey()))
                .collect(Collectors.joining(", "));
        return new DiffPage.ChangedType(
                diff.name(),
                PagePath.of("/admin/diff")
                        .with("from", sides.from().id())
                        .with("to", sides.to().id())
                        .with("types", Item.ofType(diff.name()).text())
                        .toString(),
                Differences.sign(diff.status()),
                Differences.badge(diff.status()),
                Differences.side(diff.from()),
                Differences.side(diff.to()),
                diff.enumerators().isEmpty()
                        ? members
                        : Format.count(diff.enumerators().size(), "enumerator"));
    }

    /** A group while types are added. */
    private static final class GroupBuilder {

        private final String title;
        private final Set<String> names;
        private final List<DiffPage.ChangedType> types = new ArrayList<>();
        private final Map<TypeDiff.Status, Integer> statuses = new EnumMap<>(TypeDiff.Status.class);
        private int count;
        private int more;

        GroupBuilder(String title, Set<String> names) {
            this.title = title;
            this.names = names;
        }

        void count() {
            count++;
        }

        void add(TypeDiff.Status status, DiffPage.ChangedType type) {
            statuses.merge(status, 1, Integer::sum);
            if (types.size() < MAX_SHOWN) {
                types.add(type);
            } else {
                more++;
            }
        }

        DiffPage.Group build() {
            String counts = statuses.entrySet().stream()
                    .map(status -> Format.count(status.getValue()) + " "
                            + Format.words(status.getKey().word()))
                    .collect(Collectors.joining(", "));
            return new DiffPage.Group(
                    title,
                    (counts.isEmpty() ? "no differences" : counts) + "; " + Format.count(count, "type") + " compared",
                    types,
                    more);
        }
    }
}
