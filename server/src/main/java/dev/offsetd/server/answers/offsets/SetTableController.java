package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.View;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.NameMap;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.ItemResolution.ResolvedItems;
import dev.offsetd.server.answers.RenderedTables;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.identity.BuildFilter;
import dev.offsetd.server.builds.identity.FilteredBuilds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;

/**
 * Tables of the values of a type set in all builds that have its required items, for agents that ship a table for hosts without a
 * server.
 */
@RestController
class SetTableController {

    private static final int MAX_BUILDS = 1_000;

    /** Marks the cursors of tables. */
    private static final char LIST = 'x';

    /** Builds that are looked up at once. */
    private static final int CHUNK = 100;

    private static final String MACHINE = "machine";

    private final TypeSets sets;
    private final FilteredBuilds builds;
    private final Identities identities;
    private final ItemResolution items;
    private final ComputePool threads;
    private final RenderedTables<Key, SpooledBody> tables = RenderedTables.lasting();

    SetTableController(
            TypeSets sets,
            FilteredBuilds builds,
            Identities identities,
            ItemResolution items,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
        this.sets = sets;
        this.builds = builds;
        this.identities = identities;
        this.items = items;
    }

    /**
     * Query for a table.
     *
     * @param map a name map of the set; null for all items
     * @param machine of the builds; null for any
     * @param after the last build of the previous table; null for the first
     * @param limit of the builds
     */
    private record TableQuery(
            String set,
            @Nullable String map,
            @Nullable String machine,
            @Nullable BuildId after,
            int limit,
            Representation representation) {}

    private record Key(TableQuery query, int version) {}

    @GetMapping("/v1/exports/sets/{set}")
    ResponseEntity<SpooledBody> get(@PathVariable String set, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        ListQuery list = ListQuery.of(request, Set.of(OffsetsQuery.MAP, MACHINE), MAX_BUILDS, MAX_BUILDS);
        TableQuery query = new TableQuery(
                set,
                list.parameter(OffsetsQuery.MAP).orElse(null),
                list.machine().orElse(null),
                list.buildPosition(LIST).orElse(null),
                list.limit(),
                representation);
        return new Answer(representation, table(query, list, Caller.of(request)), true).response(request);
    }

    /**
     * Returns a table.
     *
     * @param list query string from which the path of the next table is made
     * @throws ProblemException if the set (404) or map (400) is unknown, or if the server renders too many tables: 503
     */
    private SpooledBody table(TableQuery query, ListQuery list, Caller caller) {
        sets.require(query.set());
        List<Item> items = List.of(ItemParser.parse("@" + query.set()));
        Expansion expansion = query.map() == null ? sets.expand(items) : sets.expandMap(items, query.map());
        int version = expansion.sets().getFirst().version();
        return tables.get(new Key(query, version), caller, () -> render(query, list, version, expansion));
    }

    private SpooledBody render(TableQuery query, ListQuery list, int version, Expansion expansion) {
        BuildFilter filter = BuildFilter.of(
                        BuildState.EXTRACTED.word(),
                        null,
                        query.machine(),
                        "",
                        name -> name.equals("set") ? Optional.of(query.set()) : Optional.empty())
                .orElseThrow();
        return SpooledBody.of(query.representation(), out -> {
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            out.writeStringProperty("set", query.set());
            out.writeNumberProperty("version", version);
            if (query.map() != null) {
                out.writeStringProperty("map", query.map());
            }
            List<BuildId> unreadable = new ArrayList<>();
            VersionTable versions = new VersionTable();
            Optional<BuildId> last = Optional.ofNullable(query.after());
            int written = 0;
            boolean more = true;
            out.writeArrayPropertyStart("builds");
            while (more && written < query.limit()) {
                int wanted = Math.min(CHUNK, query.limit() - written);
                // One build more than needed tells whether there is a next table.
                List<Build> found = builds.page(filter, last.orElse(null), wanted + 1);
                more = found.size() > wanted;
                for (Build build : found.subList(0, Math.min(wanted, found.size()))) {
                    last = Optional.of(build.id());
                    if (!writeBuild(out, build, expansion, versions)) {
                        unreadable.add(build.id());
                    }
                }
                written += wanted;
            }
            out.writeEndArray();
            if (!unreadable.isEmpty()) {
                Representation.write(
                        out,
                        "unreadable",
                        unreadable.stream().map(BuildId::toString).toList());
            }
            // Builds on another page may differ from those on this one.
            if (query.map() != null && query.after() == null && !more) {
                versions.write(out);
            }
            if (more) {
                out.writeStringProperty(
                        "next", list.next(LIST, last.orElseThrow().toBytes()));
            }
        });
    }

    /** Writes the row of a build; returns false if this version cannot read its stored types. */
    private boolean writeBuild(JsonGenerator out, Build build, Expansion expansion, VersionTable versions) {
        ResolvedItems found;
        try {
            found = items.resolve(build, expansion);
        } catch (CorruptBlobException e) {
            return false;
        }
        Identity identity = identities.find(build.id()).orElse(Identity.UNKNOWN);
        // Not again from its start if it is long: the row would be in the table twice.
        return threads.answer(() -> {
            writeRow(out, build, identity, found);
            versions.add(build, identity, found);
            return true;
        });
    }

    private static void writeRow(JsonGenerator out, Build build, Identity identity, ResolvedItems found) {
        out.writeStartObject();
        out.writeStringProperty("buildId", build.id().toString());
        out.writeStringProperty("title", identity.title());
        identity.first(IdentityField.Kind.PROJECT).ifPresent(name -> out.writeStringProperty("project", name));
        identity.first(IdentityField.Kind.VERSION).ifPresent(name -> out.writeStringProperty("version", name));
        if (build.file() != null) {
            AnswerParts.writeArchitecture(out, build.file().architecture());
        }
        out.writeBooleanProperty("complete", found.answers().complete());
        out.writeName("values");
        Optional<NameMap.Values> map = found.answers().map();
        if (map.isPresent()) {
            NameMapWriter.writeValues(out, map.get());
            NameMapWriter.writeLimits(out, map.get());
        } else {
            AnswerWriter writer = new AnswerWriter(View.FLAT, found.types());
            out.writeStartObject();
            for (ItemAnswer answer : found.answers().items()) {
                if (!(answer.outcome() instanceof ItemOutcome.SetFound)) {
                    out.writeName(answer.item().text());
                    writer.writeAnswer(out, answer, AnswerParts.SOURCE);
                }
            }
            out.writeEndObject();
        }
        AppliedPins.write(out, "pinned", found.marks());
        AnswerParts.writeProvenance(out, build.file(), found.pins(), found.marks());
        out.writeEndObject();
    }

    /**
     * The values that all builds of a version and machine have in common, for agents that know a program's version and not its
     * build-id. Only builds in which every name has a value, and without pins, count.
     */
    private static final class VersionTable {

        private final Map<String, NameMap.Values> common = new TreeMap<>();
        private final Map<String, Set<String>> differing = new TreeMap<>();

        void add(Build build, Identity identity, ResolvedItems found) {
            Optional<String> project = identity.first(IdentityField.Kind.PROJECT);
            Optional<String> version = identity.first(IdentityField.Kind.VERSION);
            NameMap.Values all = found.answers().map().orElse(null);
            StoredFile file = build.file();
            if (project.isEmpty()
                    || version.isEmpty()
                    || all == null
                    || file == null
                    || !all.isComplete()
                    || !found.marks().isEmpty()) {
                return;
            }
            String key = project.get() + " " + version.get() + " "
                    + file.architecture().machine();
            NameMap.Values here = all.ofVersion();
            NameMap.Values before = common.get(key);
            NameMap.Values both = before == null ? here : before.common(here);
            common.put(key, both);
            Set<String> differing = this.differing.computeIfAbsent(key, _ -> new TreeSet<>());
            Stream.of(here, before == null ? here : before)
                    .flatMap(values -> values.values().stream())
                    .forEach(value -> differing.add(value.name()));
            both.values().forEach(value -> differing.remove(value.name()));
        }

        void write(JsonGenerator out) {
            out.writeObjectPropertyStart("versions");
            common.forEach((key, values) -> {
                out.writeObjectPropertyStart(key);
                out.writeName("values");
                NameMapWriter.writeValues(out, values);
                NameMapWriter.writeLimits(out, values);
                Representation.write(out, "differing", differing.getOrDefault(key, Set.of()));
                out.writeEndObject();
            });
            out.writeEndObject();
        }
    }
}
