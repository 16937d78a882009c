package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.extractor.layout.IdentityField;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.View;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.NameMap;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.RenderedTables;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.identity.BuildFilter;
import dev.offsetd.server.builds.identity.FilteredBuilds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;

/** Values of a type set in all builds that have its required items, as one table. */
@Component
class SetTable {

    /** Largest number of builds in a table. */
    static final int MAX_BUILDS = 1_000;

    /** Builds that are looked up at once. */
    private static final int CHUNK = 100;

    private final TypeSets sets;
    private final FilteredBuilds builds;
    private final Identities identities;
    private final StoredItems items;
    private final RenderedTables<Key, SpooledBody> tables = new RenderedTables<>();

    SetTable(TypeSets sets, FilteredBuilds builds, Identities identities, StoredItems items) {
        this.sets = sets;
        this.builds = builds;
        this.identities = identities;
        this.items = items;
    }

    /**
     * The builds of a table.
     *
     * @param machine of the builds; empty for any
     * @param after the last build of the previous table; empty for the first
     * @param limit of the builds
     * @param next returns the path of the table after a build
     */
    record Range(Optional<String> machine, Optional<BuildId> after, int limit, Function<BuildId, String> next) {}

    private record Key(QueryText query, int version, Optional<String> machine, Optional<BuildId> after, int limit) {}

    /**
     * Returns a table.
     *
     * @param queryFor returns the query for a set alone
     * @throws ProblemException if the set (404) or map (400) is unknown, or if the server renders too many tables: 503
     */
    SpooledBody of(String set, Function<String, OffsetsQuery> queryFor, Range range, Caller caller) {
        int version = sets.require(set).document().set().version();
        OffsetsQuery query = queryFor.apply(set);
        Expansion expansion = items.expand(query);
        Key key = new Key(query.text(), version, range.machine(), range.after(), range.limit());
        return tables.get(key, caller, () -> render(set, version, query, expansion, range));
    }

    private SpooledBody render(String set, int version, OffsetsQuery query, Expansion expansion, Range range) {
        BuildFilter filter = BuildFilter.of(
                        BuildState.EXTRACTED.name().toLowerCase(Locale.ROOT),
                        null,
                        range.machine().orElse(null),
                        "",
                        name -> name.equals("set") ? Optional.of(set) : Optional.empty())
                .orElseThrow();
        return SpooledBody.of(query.representation(), out -> {
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            out.writeStringProperty("set", set);
            out.writeNumberProperty("version", version);
            query.text().map().ifPresent(map -> out.writeStringProperty("map", map));
            List<BuildId> unreadable = new ArrayList<>();
            Optional<BuildId> last = range.after();
            int written = 0;
            boolean more = true;
            out.writeArrayPropertyStart("builds");
            while (more && written < range.limit()) {
                int wanted = Math.min(CHUNK, range.limit() - written);
                // One build more than needed tells whether there is a next table.
                List<Build> found = builds.page(filter, last, wanted + 1);
                more = found.size() > wanted;
                for (Build build : found.subList(0, Math.min(wanted, found.size()))) {
                    last = Optional.of(build.id());
                    if (!writeBuild(out, build, query, expansion)) {
                        unreadable.add(build.id());
                    }
                }
                written += wanted;
            }
            out.writeEndArray();
            if (!unreadable.isEmpty()) {
                out.writeArrayPropertyStart("unreadable");
                unreadable.forEach(id -> out.writeString(id.toString()));
                out.writeEndArray();
            }
            if (more) {
                out.writeStringProperty("next", range.next().apply(last.orElseThrow()));
            }
        });
    }

    /** Writes the row of a build; returns false if this version cannot read its stored types. */
    private boolean writeBuild(JsonGenerator out, Build build, OffsetsQuery query, Expansion expansion) {
        StoredItems.ResolvedItems found;
        try {
            found = items.answer(build, items.pinsInEffect(build), query, expansion, Function.identity());
        } catch (CorruptBlobException e) {
            return false;
        }
        writeRow(out, build, found);
        return true;
    }

    private void writeRow(JsonGenerator out, Build build, StoredItems.ResolvedItems found) {
        Identity identity = identities.find(build.id()).orElse(Identity.UNKNOWN);
        out.writeStartObject();
        out.writeStringProperty("buildId", build.id().toString());
        out.writeStringProperty("title", identity.title());
        identity.first(IdentityField.Kind.PROJECT).ifPresent(name -> out.writeStringProperty("project", name));
        identity.first(IdentityField.Kind.VERSION).ifPresent(name -> out.writeStringProperty("version", name));
        build.file().ifPresent(file -> AnswerParts.writeArchitecture(out, file.architecture()));
        out.writeBooleanProperty("complete", found.answers().complete());
        out.writeName("values");
        Optional<NameMap.Values> map = found.answers().map();
        if (map.isPresent()) {
            NameMapWriter.writeValues(out, map.get());
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
}
