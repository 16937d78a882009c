package dev.offsetd.server.exports;

import dev.offsetd.query.gooffsets.GoVersion;
import dev.offsetd.query.gooffsets.OffsetsByVersion;
import dev.offsetd.query.gooffsets.OffsetsFormat;
import dev.offsetd.query.gooffsets.TrackedModule;
import dev.offsetd.query.gooffsets.TrackedModule.TrackedMember;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.RenderedTables;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.identity.GoModules;
import dev.offsetd.server.builds.identity.GoModules.GoProgram;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonGenerator;

/**
 * Offsets of members of Go structs by module version, over all stored programs. Pins do not count: they are of one build.
 */
@Component
class GoOffsets {

    private static final Logger log = LoggerFactory.getLogger(GoOffsets.class);

    /** Most programs that a table reads. */
    static final int MAX_PROGRAMS = 2_000;

    /** Most programs of one version of a module that count: more agree or contradict in the same members. */
    private static final int MOST_OF_VERSION = 50;

    private final GoModules goModules;
    private final Builds builds;
    private final Catalogues catalogues;
    private final ComputePool threads;
    private final RenderedTables<Key, GoTable> tables = RenderedTables.lasting();

    GoOffsets(
            GoModules goModules,
            Builds builds,
            Catalogues catalogues,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
        this.goModules = goModules;
        this.builds = builds;
        this.catalogues = catalogues;
    }

    private record Key(OffsetsFormat format, String machine, List<TrackedModule> modules, ContentCoding coding) {}

    /**
     * A rendered table.
     *
     * @param omitted what is left out because programs contradict each other
     */
    record GoTable(SpooledBody body, long omitted) {}

    /**
     * Returns a table.
     *
     * @param machine of the programs
     * @throws ProblemException if the server renders too many tables: 503
     */
    GoTable of(OffsetsFormat format, String machine, List<TrackedModule> modules, ContentCoding coding, Caller caller) {
        Key key = new Key(format, machine, modules, coding);
        return tables.get(key, caller, () -> {
            OffsetsByVersion offsets = collect(machine, modules);
            return threads.answer(() -> render(format, offsets, coding));
        });
    }

    private static GoTable render(OffsetsFormat format, OffsetsByVersion offsets, ContentCoding coding) {
        AtomicLong omitted = new AtomicLong();
        SpooledBody body = SpooledBody.of(bytes -> {
            try (OutputStream encoded = coding.encoder(bytes);
                    JsonGenerator out = Representation.JSON.generator(encoded)) {
                omitted.set(format.write(offsets, out));
            }
        });
        return new GoTable(body, omitted.get());
    }

    private OffsetsByVersion collect(String machine, List<TrackedModule> modules) {
        OffsetsByVersion offsets = new OffsetsByVersion(modules);
        Set<String> paths = new TreeSet<>(Set.of(GoModules.STANDARD_LIBRARY));
        modules.forEach(module -> paths.add(module.path()));
        for (GoProgram program : goModules.programs(paths, machine, MOST_OF_VERSION, MAX_PROGRAMS)) {
            Build build = builds.find(program.id()).orElse(null);
            if (build != null && build.file() != null) {
                try {
                    add(offsets, program, build, build.file());
                } catch (CorruptBlobException e) {
                    log.warn("build {}: its stored types cannot be read for offsets of Go", program.id());
                }
            }
        }
        offsets.contradictions()
                .forEach(found -> log.info(
                        "offsets of Go on {}: {} in version {} differs in builds {}",
                        machine,
                        found.member().item(),
                        found.version(),
                        found.programs()));
        return offsets;
    }

    private record Wanted(TrackedModule module, TrackedMember member, GoVersion version) {}

    private void add(OffsetsByVersion offsets, GoProgram program, Build build, StoredFile file) {
        List<Wanted> wanted = new ArrayList<>();
        for (TrackedModule module : offsets.modules()) {
            Optional<GoVersion> version = module.versioned()
                    ? Optional.ofNullable(program.versions().get(module.path()))
                            .flatMap(GoVersion::parse)
                            .filter(GoVersion::isUnchanged)
                    : Optional.of(GoVersion.NONE);
            version.ifPresent(
                    found -> module.members().forEach(member -> wanted.add(new Wanted(module, member, found))));
        }
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        BuildContents contents = BuildContents.ofTypes(types);
        catalogues.reading(
                types,
                wanted.size(),
                () -> threads.run(() -> {
                    wanted.forEach(each -> add(offsets, each, contents, build, file));
                    return wanted.size();
                }));
    }

    private static void add(
            OffsetsByVersion offsets, Wanted wanted, BuildContents contents, Build build, StoredFile file) {
        ItemOutcome outcome = ItemResolver.resolve(
                        ItemParser.parse(wanted.member().item()), contents, null)
                .outcome();
        Long offset = outcome instanceof ItemOutcome.PathFound found
                        && !found.placement().isBitField()
                ? found.placement().offset()
                : null;
        // Other outcomes do not tell whether the type has the member.
        if (offset != null || outcome.status() == ItemStatus.FIELD_NOT_FOUND) {
            offsets.add(
                    wanted.module(),
                    wanted.member(),
                    wanted.version(),
                    offset,
                    file.origin().rank(),
                    build.id().toString());
        }
    }
}
