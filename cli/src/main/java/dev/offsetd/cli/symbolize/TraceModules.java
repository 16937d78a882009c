package dev.offsetd.cli.symbolize;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.file.Places;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.symbols.FileOffsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The programs and libraries in traces, each of which is read once, and reported once if it cannot be. */
final class TraceModules {

    private final DebugFileFinder files;
    private final Console console;
    private final @Nullable TraceModule given;
    private final Map<Path, Optional<TraceModule>> byPath = new TreeMap<>();
    private final Map<BuildId, Optional<TraceModule>> byBuild = new TreeMap<>();
    private final Set<BuildId> reported = new TreeSet<>();

    /**
     * @param given file that the user names; null for none
     * @throws CommandFailure if it cannot be read
     */
    TraceModules(DebugFileFinder files, Console console, @Nullable Path given) throws CommandFailure {
        this.files = files;
        this.console = console;
        this.given = given == null ? null : TraceModule.read(given, files, console);
    }

    /** Returns the file that the user names. */
    Optional<TraceModule> given() {
        return Optional.ofNullable(given);
    }

    /** Returns a program or library; empty if it is not here or unreadable. */
    Optional<TraceModule> at(Path path) {
        Optional<TraceModule> known = byPath.get(path);
        if (known == null) {
            known = Files.isRegularFile(path) ? read(path) : Optional.empty();
            byPath.put(path, known);
        }
        return known;
    }

    private Optional<TraceModule> read(Path path) {
        try {
            return Optional.of(TraceModule.read(path, files, console));
        } catch (CommandFailure e) {
            console.say(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Returns the program or library of a build; empty if it is not here. */
    Optional<TraceModule> of(BuildId build) {
        Optional<TraceModule> known = byBuild.get(build);
        if (known == null) {
            known = find(build);
            byBuild.put(build, known);
        }
        return known;
    }

    /** Says once what is wrong with a build. */
    void report(BuildId build, String reason) {
        if (reported.add(build)) {
            console.say("build " + build + ": " + reason);
        }
    }

    private Optional<TraceModule> find(BuildId build) {
        List<BuildId> ids = unpadded(build);
        TraceModule named = given;
        if (named != null && named.id() != null && ids.contains(named.id())) {
            return Optional.of(named);
        }
        try {
            Optional<Path> program = program(build, ids);
            return program.isPresent()
                    ? Optional.of(TraceModule.read(program.get(), files, console))
                    : Optional.empty();
        } catch (CommandFailure e) {
            report(build, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Returns the installed program of a build, or reports why there is none. */
    private Optional<Path> program(BuildId build, List<BuildId> ids) throws CommandFailure {
        List<Path> places =
                ids.stream().flatMap(id -> files.programPlaces(id).stream()).toList();
        List<Path> installed = places.stream().filter(Files::isRegularFile).toList();
        for (Path place : installed) {
            if (isProgram(place, ids)) {
                return Optional.of(place);
            }
        }
        report(
                build,
                installed.isEmpty()
                        ? "neither the program nor its debug file is in " + Places.text(places)
                        : "offsets in its file need the program, and only its debug file " + installed.getFirst()
                                + " is installed; name the program as FILE");
        return Optional.empty();
    }

    /** Returns whether a file is of one of these builds, and states where the program is in its file. */
    private boolean isProgram(Path file, List<BuildId> ids) throws CommandFailure {
        FileOffsets offsets = files.readFile(file, DebugInfo::fileOffsets);
        if (offsets.missing() != null) {
            return false;
        }
        BuildId id = files.inspect(file).buildId();
        return id != null && ids.contains(id);
    }

    /** Returns a build-id, and the shorter ones that kernels fill up with zeros to it. */
    private static List<BuildId> unpadded(BuildId id) {
        byte[] bytes = id.toBytes();
        List<BuildId> ids = new ArrayList<>(List.of(id));
        for (int length = bytes.length - 1; length >= BuildId.MIN_BYTES && bytes[length] == 0; length--) {
            ids.add(BuildId.of(Arrays.copyOf(bytes, length)));
        }
        return ids;
    }
}
