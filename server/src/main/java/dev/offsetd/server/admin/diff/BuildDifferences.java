package dev.offsetd.server.admin.diff;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.MemberChange;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.answers.types.LayoutComparison;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Comparison of all types of two builds: those of type sets first, then those of the main language, grouped. A part has so
 * many rows, and takes so long, that it is shown at once; the next part continues after it.
 */
final class BuildDifferences {

    /** Types that are in memory with their layouts at one time. */
    static final int BATCH = 100;

    /** Rows of a part; a few more, because a batch is not divided, and fewer if it takes long. */
    private static final int MAX_ROWS = 200;

    private static final int SMALLEST_BATCH = 10;

    private static final Duration MOST = Duration.ofMillis(150);

    private static final String TYPES = "Other types";
    private static final String LANGUAGES = "Other languages";

    private final LayoutComparison.ComparedBuilds sides;
    private final Map<String, Set<String>> sets = new TreeMap<>();
    private final Map<String, Language.Family> languages;
    private final Set<Language.Family> main;
    private final Map<String, List<String>> groups = new HashMap<>();
    private final Set<String> found = new HashSet<>();

    private BuildDifferences(LayoutComparison.ComparedBuilds sides, List<TypeSet> sets) {
        this.sides = sides;
        for (TypeSet set : sets) {
            this.sets.put(
                    "@" + set.name(),
                    set.items().stream()
                            .map(Item::typeNames)
                            .flatMap(Set::stream)
                            .collect(Collectors.toSet()));
        }
        languages = new HashMap<>(sides.from().extractedNames());
        sides.to().extractedNames().forEach(languages::putIfAbsent);
        main = Stream.of(sides.to(), sides.from())
                .flatMap(side -> Stream.ofNullable(side.extracted()))
                .findFirst()
                .map(StoredCatalogue::mainLanguages)
                .orElse(Set.of());
    }

    /**
     * A part of the comparison.
     *
     * @param groups types by type set, then the others
     * @param at number of types before this part
     * @param compared number of types up to the end of this part
     * @param total number of types of both builds in these languages
     * @param differing number of types of this part that differ
     * @param otherLanguages number of types in other languages; 0 if these are compared
     */
    record BuildComparison(List<Group> groups, int at, int compared, int total, int differing, int otherLanguages) {

        /** Returns whether there is a part after this one. */
        public boolean isCut() {
            return compared < total;
        }
    }

    /**
     * A type that differs.
     *
     * @param path of its comparison
     * @param left kind and size in the first build; empty if it is missing there
     * @param members what changed in its members
     */
    record ChangedType(
            String name, String path, Differences.ChangeBadge status, String left, String right, String members) {}

    /**
     * Compares a part.
     *
     * @param others whether to compare the types of other languages, in place of those of sets and of the main language
     * @param at number of types to pass over
     */
    static BuildComparison of(LayoutComparison.ComparedBuilds sides, List<TypeSet> sets, boolean others, int at) {
        return new BuildDifferences(sides, sets).compare(others, at, System.nanoTime() + MOST.toNanos());
    }

    private BuildComparison compare(boolean others, int at, long deadline) {
        // The titles of sets sort before those of the others.
        Map<String, List<String>> byGroup = new TreeMap<>();
        languages.forEach((name, language) -> groupsOf(name)
                .forEach(group ->
                        byGroup.computeIfAbsent(group, key -> new ArrayList<>()).add(name)));
        List<String> foreign = byGroup.getOrDefault(LANGUAGES, List.of());
        List<String> names = byGroup.entrySet().stream()
                .filter(group -> group.getKey().equals(LANGUAGES) == others)
                .flatMap(group -> group.getValue().stream().sorted())
                .distinct()
                .toList();
        Map<String, Group> built = new TreeMap<>();
        int compared = Math.min(at, names.size());
        int rows = 0;
        int differing = 0;
        while (compared < names.size() && rows < MAX_ROWS && (compared == at || System.nanoTime() < deadline)) {
            Set<String> batch = Set.copyOf(names.subList(
                    compared, Math.min(names.size(), compared + Math.clamp(MAX_ROWS - rows, SMALLEST_BATCH, BATCH))));
            for (String name : batch) {
                groupsOf(name).forEach(group -> built.computeIfAbsent(group, Group::new).count++);
            }
            for (TypeDiff diff :
                    LayoutDiff.ofNames(batch, sides.from().types(), sides.to().types(), null)) {
                // A type that others hold by value is also in the result of each batch with one of them.
                String type = qualifiedName(diff);
                if ((batch.contains(type) || !languages.containsKey(type)) && found.add(diff.name())) {
                    rows++;
                    differing += batch.contains(type) ? 1 : 0;
                    groupsOf(type)
                            .forEach(group ->
                                    built.computeIfAbsent(group, Group::new).add(diff.status(), type(diff)));
                }
            }
            compared += batch.size();
        }
        return new BuildComparison(
                List.copyOf(built.values()), at, compared, names.size(), differing, others ? 0 : foreign.size());
    }

    /** Returns the qualified name of a type, which the name of its comparison may have a function or a kind in front of. */
    private static String qualifiedName(TypeDiff diff) {
        return Stream.of(diff.from(), diff.to())
                .flatMap(Stream::ofNullable)
                .flatMap(side -> Stream.ofNullable(side.definition()))
                .map(Definition::qualifiedName)
                .findFirst()
                .orElse(diff.name());
    }

    /** Returns the titles of the groups of a type: all sets that need it, or what else it is. */
    private List<String> groupsOf(String type) {
        return groups.computeIfAbsent(type, this::findGroups);
    }

    private List<String> findGroups(String type) {
        String name = TypeNames.unqualified(TypeNames.normalize(type));
        List<String> needing = sets.entrySet().stream()
                .filter(set -> set.getValue().contains(name))
                .map(Map.Entry::getKey)
                .toList();
        Language.Family language = languages.get(type);
        return !needing.isEmpty() ? needing : List.of(language == null || main.contains(language) ? TYPES : LANGUAGES);
    }

    private ChangedType type(TypeDiff diff) {
        Map<MemberChange.Kind, Integer> counts = new EnumMap<>(MemberChange.Kind.class);
        diff.members().forEach(change -> change.kinds().forEach(kind -> counts.merge(kind, 1, Integer::sum)));
        String members = counts.entrySet().stream()
                .map(count ->
                        Format.count(count.getValue()) + " " + count.getKey().word())
                .collect(Collectors.joining(", "));
        return new ChangedType(
                diff.name(),
                PagePath.of("/admin/diff")
                        .with("from", sides.from().id())
                        .with("to", sides.to().id())
                        .with(
                                "types",
                                diff.name().startsWith(LayoutDiff.NAMESAKE)
                                        ? diff.name()
                                        : Item.ofType(diff.name()).text())
                        .toString(),
                Differences.badge(diff.status()),
                Differences.side(diff.from()),
                Differences.side(diff.to()),
                diff.enumerators().isEmpty()
                        ? members
                        : Format.count(diff.enumerators().size(), "enumerator"));
    }

    /** The types of a set that differ, or of what the others are. */
    static final class Group {

        private final String title;
        private final List<ChangedType> types = new ArrayList<>();
        private final Map<TypeDiff.Status, Integer> statuses = new EnumMap<>(TypeDiff.Status.class);
        private int count;

        Group(String title) {
            this.title = title;
        }

        private void add(TypeDiff.Status status, ChangedType type) {
            statuses.merge(status, 1, Integer::sum);
            types.add(type);
        }

        public String title() {
            return title;
        }

        public List<ChangedType> types() {
            return types;
        }

        /** Returns the number of types by status, as text. */
        public String counts() {
            String counts = statuses.entrySet().stream()
                    .map(status -> Format.count(status.getValue()) + " "
                            + Format.words(status.getKey().word()))
                    .collect(Collectors.joining(", "));
            return (counts.isEmpty() ? "no differences" : counts) + "; " + Format.count(count, "type") + " compared";
        }
    }
}
