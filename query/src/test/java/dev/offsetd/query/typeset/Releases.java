package dev.offsetd.query.typeset;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.typeset.ConsensusBuild.Found;
import dev.offsetd.query.typeset.SetBuild.BuildFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * Releases of runtimes for amd64 in all suites of Debian. The debug information is that of Debian's packages; of runtimes
 * without such a package, it is compiled from the source packages, without Debian's patches, or from headers. Suites whose
 * sources or packages cannot be fetched are left out.
 */
public final class Releases {

    private static final String ARCHITECTURE = "amd64";

    private static final List<String> SUITES = List.of(
            "bullseye",
            "bullseye-security",
            "bookworm",
            "bookworm-security",
            "trixie",
            "trixie-security",
            "forky",
            "sid",
            "experimental");

    private static final List<String> BULLSEYE = SUITES.subList(0, 2);
    private static final List<String> BOOKWORM = SUITES.subList(2, 4);
    private static final List<String> TRIXIE_TO_SID = SUITES.subList(4, 8);
    private static final List<String> EXPERIMENTAL = SUITES.subList(8, 9);

    /** Suites by series, of the runtimes whose packages have the series in their names. */
    private static final Map<String, Map<String, List<String>>> SERIES = Map.of(
            "python",
            Map.of(
                    "3.9",
                    BULLSEYE,
                    "3.11",
                    BOOKWORM,
                    "3.13",
                    TRIXIE_TO_SID,
                    "3.14",
                    TRIXIE_TO_SID,
                    "3.15",
                    TRIXIE_TO_SID),
            "ruby",
            Map.of("2.7", BULLSEYE, "3.1", BOOKWORM, "3.3", TRIXIE_TO_SID, "3.4", EXPERIMENTAL),
            "php",
            Map.of("7.4", BULLSEYE, "8.2", BOOKWORM, "8.4", TRIXIE_TO_SID, "8.5", EXPERIMENTAL, "8.6", EXPERIMENTAL));

    private final CompiledRuntimes compiled;
    private final Path folder;
    private final PrintStream log;

    /**
     * Creates a source of releases.
     *
     * @param compiled folder for what is compiled; what is there already is not compiled again
     * @param folder for debug files that are made for this object
     * @param log lists what a suite does not have
     */
    public Releases(Path compiled, Path folder, PrintStream log) {
        this.compiled = new CompiledRuntimes(compiled.toAbsolutePath());
        this.folder = folder;
        this.log = log;
    }

    /**
     * A release of a runtime.
     *
     * @param packageName of the debug information, or of the program if that is compiled
     * @param program without debug information
     * @param debugFile with the build-id of the program
     * @param supplementary into which dwz moved some of the types
     */
    public record Release(
            String packageName, String version, Path program, Path debugFile, Optional<Path> supplementary) {}

    /** Gets a release of a suite. */
    @FunctionalInterface
    private interface Source {
        Release get(String suite, String series) throws IOException, ExtractionException;
    }

    /** Returns the names of the type sets of the runtimes. */
    public static List<String> sets() {
        return List.of("glibc", "perl", "python", "ruby", "php", "luajit");
    }

    /** Returns the releases of a runtime, the oldest version first. A version that several suites have is there once. */
    public List<Release> of(String set) throws IOException, ExtractionException {
        Source source = switch (set) {
            case "glibc" ->
                (suite, _) -> packaged(suite, "libc6", ".*/lib/[^/]+/libc(-[0-9.]+\\.so|\\.so\\.[0-9]+)", "libc6-dbg");
            case "perl" -> (suite, _) -> packaged(suite, "perl-base", ".*/usr/bin/perl", "perl-debug");
            case "python" ->
                (suite, series) -> packaged(
                        suite, "python" + series + "-minimal", ".*/usr/bin/python[0-9.]+", "python" + series + "-dbg");
            case "ruby" -> this::ruby;
            case "php" -> this::php;
            case "luajit" -> this::luajit;
            default -> throw new IllegalArgumentException(set);
        };
        Map<String, Release> found = new LinkedHashMap<>();
        for (Map.Entry<String, List<String>> series :
                SERIES.getOrDefault(set, Map.of("", SUITES)).entrySet()) {
            for (String suite : series.getValue()) {
                try {
                    Release release = source.get(suite, series.getKey());
                    found.putIfAbsent(release.version, release);
                } catch (TestAbortedException | AssertionError e) {
                    log.println("@" + set + ": "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
                }
            }
        }
        List<Release> sorted = new ArrayList<>();
        for (String version : sorted(found.keySet().toArray())) {
            sorted.add(found.get(version));
        }
        return sorted;
    }

    /** Returns versions of packages in their order. */
    private static List<String> sorted(Object... versions) throws IOException {
        Object[] arguments = Stream.concat(
                        Stream.of("-c", "printf '%s\\n' \"$@\" | sort -V", "sh"), Stream.of(versions))
                .toArray();
        return RequiredTool.require("sh").output(arguments).lines().toList();
    }

    private static Path unpacked(String suite, String name) throws IOException {
        return DebianPackages.unpackedOfRelease(suite, name, ARCHITECTURE);
    }

    private static Release packaged(String suite, String programs, String pattern, String debug)
            throws IOException, ExtractionException {
        Path types = unpacked(suite, debug);
        Found found = ConsensusBuild.separate(unpacked(suite, programs), pattern, types);
        return new Release(
                debug,
                version(types),
                found.program(),
                found.types().types(),
                found.types().supplementary());
    }

    private Release ruby(String suite, String series) throws IOException, ExtractionException {
        Path program = unpacked(suite, "libruby" + series);
        BuildFiles files =
                compiled.ruby(DebianPackages.source(suite, "ruby" + series), unpacked(suite, "ruby" + series + "-dev"));
        return compiled(
                "libruby" + series,
                version(program),
                CompiledRuntimes.find(program, ".*/libruby-[0-9.]+\\.so\\.[0-9.]+"),
                files);
    }

    private Release php(String suite, String series) throws IOException, ExtractionException {
        Path program = unpacked(suite, "php" + series + "-cli");
        BuildFiles files = compiled.php(unpacked(suite, "php" + series + "-dev"), program);
        return compiled("php" + series + "-cli", version(program), files.symbols(), files);
    }

    private Release luajit(String suite, String series) throws IOException, ExtractionException {
        Path library = unpacked(suite, "libluajit-5.1-2");
        BuildFiles files = compiled.luajit(DebianPackages.source(suite, "luajit"), library);
        return compiled("libluajit-5.1-2", version(library), files.symbols(), files);
    }

    /** The middle of the one name and version that a folder has: {@code libc6-dbg 2.36-9}. */
    private static String version(Path unpacked) throws IOException {
        String versions = DebianPackages.versions(unpacked);
        return versions.substring(versions.indexOf(' ') + 1);
    }

    /** Gives the compiled types the build-id of Debian's program, as its debug file would have it. */
    private Release compiled(String packageName, String version, Path program, BuildFiles files)
            throws IOException, ExtractionException {
        Path debugFile = folder.resolve(packageName + "_" + version + ".debug");
        if (!Files.exists(debugFile)) {
            String id = DebugInfo.read(program, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::buildId)
                    .orElseThrow(() -> new IOException("no build-id in " + program))
                    .toString();
            RequiredTool objcopy = RequiredTool.require("objcopy");
            Path note = folder.resolve(id + ".note");
            objcopy.output("-O", "binary", "--only-section=.note.gnu.build-id", program, note);
            objcopy.output("--update-section", ".note.gnu.build-id=" + note, files.types(), debugFile);
        }
        return new Release(packageName, version, program, debugFile, Optional.empty());
    }
}
