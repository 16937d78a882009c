package dev.offsetd.server.prewarms.enrichment;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.MemberLayout;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.item.OutcomeEquality;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.NameMap;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.consensus.Consensus;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.Representation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares the items of a type set in two builds. */
@Component
class SetComparison {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** Differing types, their changes together, and names that an event lists; {@code GET /v1/diff} has all. */
    static final int MAX_LISTED = 100;

    /** Characters of the types and changes that an event lists: one name of a hostile file can have a million. */
    static final int MAX_CHARACTERS = 1 << 16;

    /** Changes in the title of an event. */
    private static final int IN_TITLE = 3;

    /** Items that are ambiguous in both builds are not comparable, which says nothing about the later one. */
    private static final Set<TypeDiff.Status> DIFFERENT =
            EnumSet.of(TypeDiff.Status.CHANGED, TypeDiff.Status.ADDED, TypeDiff.Status.REMOVED);

    private final ItemResolution items;
    private final Catalogues catalogues;
    private final BuildCoverage coverage;
    private final Consensus consensus;
    private final TypeSets sets;

    SetComparison(
            ItemResolution items, Catalogues catalogues, BuildCoverage coverage, Consensus consensus, TypeSets sets) {
        this.items = items;
        this.catalogues = catalogues;
        this.coverage = coverage;
        this.consensus = consensus;
        this.sets = sets;
    }

    /**
     * Differences of a later build.
     *
     * @param types that differ, as {@code offsetd diff} lists them
     * @param names whose values differ, by the name map
     * @param broken items in which all peers of the build agreed before it
     * @param missing required entries that only the earlier build has
     */
    record Differences(
            List<TypeDiff> types,
            Map<String, List<NameMap.Change>> names,
            List<String> broken,
            List<Coverage.MissingEntry> missing) {

        /** Returns whether nothing differs apart from what is missing. */
        boolean isSame() {
            return types.isEmpty() && names.isEmpty() && broken.isEmpty();
        }

        /** Returns the first changes in words, those of name maps before others. */
        String title() {
            List<String> changes = new ArrayList<>();
            names.forEach((map, changed) -> NameMapWriter.changes(changed)
                    .forEach(line -> changes.add(map + ": " + line.substring("~ ".length()))));
            if (changes.isEmpty()) {
                types.forEach(
                        type -> changes.add(type.name() + " " + type.status().word()));
            }
            broken.forEach(item -> changes.add("breaks the consensus of " + item));
            int more = changes.size() - IN_TITLE;
            return String.join("; ", changes.subList(0, Math.min(IN_TITLE, changes.size())))
                    + (more > 0 ? "; and " + more + " more" : "");
        }

        /** Returns the members of an event's detail. */
        Map<String, Object> detail() {
            Map<String, Object> detail = new LinkedHashMap<>();
            detail.put("changes", types.size());
            List<TypeDiff> listed = listed(types);
            detail.put("types", json(out -> DiffWriter.writeTypes(out, listed)));
            long omitted = changes(types) - changes(listed);
            if (omitted > 0) {
                detail.put("omittedChanges", omitted);
            }
            Map<String, Object> maps = new LinkedHashMap<>();
            names.forEach((map, changed) -> maps.put(
                    map,
                    json(out -> NameMapWriter.writeChanges(
                            out, changed.subList(0, Math.min(MAX_LISTED, changed.size()))))));
            detail.put("names", maps);
            detail.put("brokenConsensus", broken.subList(0, Math.min(MAX_LISTED, broken.size())));
            return detail;
        }

        private static long changes(List<TypeDiff> types) {
            return types.stream()
                    .mapToLong(
                            type -> type.members().size() + type.enumerators().size())
                    .sum();
        }

        /** Returns the first types with their first changes, as many as an event lists. */
        private static List<TypeDiff> listed(List<TypeDiff> types) {
            Allowance left = new Allowance();
            return types.stream()
                    .limit(MAX_LISTED)
                    .filter(type -> left.hasRoomFor(type.name().length() + length(type.from()) + length(type.to())))
                    .map(type -> new TypeDiff(
                            type.name(),
                            type.status(),
                            type.from(),
                            type.to(),
                            left.first(
                                    type.members(),
                                    member -> member.name().length() + length(member.from()) + length(member.to())),
                            left.first(
                                    type.enumerators(), change -> change.name().length()),
                            type.detail()))
                    .toList();
        }

        private static long length(TypeDiff.@Nullable TypeSide side) {
            return side == null ? 0 : length(side.place());
        }

        private static long length(@Nullable MemberLayout place) {
            return place == null ? 0 : place.type().length();
        }

        /** Room that is left in an event. */
        private static final class Allowance {

            private int changes = MAX_LISTED;
            private long characters = MAX_CHARACTERS;

            /** Takes room for a text if there is enough. */
            boolean hasRoomFor(long length) {
                boolean fits = length <= characters;
                characters -= fits ? length : 0;
                return fits;
            }

            /** Returns the first changes of a list, as many as there is room for, and takes it. */
            <C> List<C> first(List<C> all, ToLongFunction<C> length) {
                int kept = 0;
                while (kept < all.size() && changes > 0 && hasRoomFor(length.applyAsLong(all.get(kept)))) {
                    kept++;
                    changes--;
                }
                return all.subList(0, kept);
            }
        }

        private static JsonNode json(Consumer<JsonGenerator> writer) {
            return JSON.readTree(Representation.JSON.object(out -> {
                        out.writeName("value");
                        writer.accept(out);
                    }))
                    .path("value");
        }
    }

    Differences compare(Build from, Build to, String set) {
        Expansion expansion = sets.expand(QueryParameters.parse(List.of("@" + set)));
        return new Differences(
                types(from, to, expansion.comparable()),
                names(from, to, set),
                broken(to, expansion),
                missing(from, to, set));
    }

    private List<TypeDiff> types(Build from, Build to, List<Item> compared) {
        StoredCatalogue before = items.open(from);
        StoredCatalogue after = items.open(to);
        return catalogues.comparing(
                List.of(before, after),
                compared.size(),
                () -> LayoutDiff.ofItems(compared, index(from, before), index(to, after), null).stream()
                        .filter(diff -> DIFFERENT.contains(diff.status()))
                        .toList());
    }

    private TypeIndex index(Build build, StoredCatalogue types) {
        PinnedTypes pinned = items.pinsInEffect(build).over(types);
        return pinned.index().orElse(pinned);
    }

    private Map<String, List<NameMap.Change>> names(Build from, Build to, String set) {
        Map<String, List<NameMap.Change>> names = new LinkedHashMap<>();
        for (NameMap map : sets.require(set).document().set().maps()) {
            Optional<NameMap.Values> before = coverage.ofMap(from, set, map.name());
            Optional<NameMap.Values> after = coverage.ofMap(to, set, map.name());
            if (before.isPresent() && after.isPresent()) {
                List<NameMap.Change> changes = before.get().changes(after.get());
                if (!changes.isEmpty()) {
                    names.put(map.name(), changes);
                }
            }
        }
        return names;
    }

    private List<Coverage.MissingEntry> missing(Build from, Build to, String set) {
        List<Coverage.MissingEntry> before =
                coverage.ofSet(from, set).map(Coverage::missing).orElse(List.of());
        return coverage.ofSet(to, set).map(Coverage::missing).orElse(List.of()).stream()
                .filter(entry -> entry.need() == Need.REQUIRED && !before.contains(entry))
                .toList();
    }

    /** Returns the items to which the peers of a build give one answer, and the build another. */
    private List<String> broken(Build build, Expansion expansion) {
        if (!(consensus.find(build, expansion, null) instanceof Consensus.OpenedPeers peers)) {
            return List.of();
        }
        Map<String, ConsensusAnswer> agreed = consensus.reading(
                peers,
                expansion,
                () -> consensus.resolve(build, peers, expansion, null).answers());
        OutcomeEquality equality = new OutcomeEquality();
        return items.resolve(build, expansion).answers().items().stream()
                .filter(own -> own.item().setName().isEmpty() && isBroken(own, agreed, equality))
                .map(own -> own.item().text())
                .toList();
    }

    private static boolean isBroken(ItemAnswer own, Map<String, ConsensusAnswer> agreed, OutcomeEquality equality) {
        ConsensusAnswer peers = agreed.get(own.item().text());
        return peers != null
                && peers.agreement().distinct() == 1
                && !equality.keyOf(peers.answer().outcome()).equals(equality.keyOf(own.outcome()));
    }
}
