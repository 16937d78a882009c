package dev.offsetd.query.typeset;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.ItemParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The offsets in the source of the OpenTelemetry eBPF profiler, as {@code dev/profilertables} reads them, beside those of the name
 * maps {@code otel-ebpf-profiler}.
 */
final class ProfilerTables {

    static final String MAP = "otel-ebpf-profiler";

    /** Folders of the profiler's {@code interpreter} by set, with the conditions that Debian's builds meet. */
    private static final Map<String, List<String>> FOLDERS = Map.of(
            "ruby", List.of("ruby"),
            "python", List.of("python"),
            "php", List.of("php"),
            "perl", List.of("perl", "stateInTSD=true"),
            "beam", List.of("beam"),
            "go-runtime", List.of("go"));

    /** Go's names of machines. */
    private static final Map<String, String> ARCHITECTURES = Map.of("x86_64", "amd64", "aarch64", "arm64");

    /**
     * Why a name differs in some versions.
     *
     * @param versions how these versions begin
     * @param ours null if the map has no value
     */
    private record Reason(
            String set,
            String versions,
            String name,
            long theirs,
            @Nullable Long ours,
            String text) {}

    private static final String CONFIGURATION = "its end depends on the compilers that were configured";
    private static final String NO_OBJSPACE = "not read before 3.1";
    private static final String OTHER_OTP = "OTP 27 and 28 only";
    private static final String OTHER_PYTHON = "Python 3.6 to 3.14 only";
    private static final String BODY = "iseq_constant_body.size_of_iseq_constant_body";

    private static final List<Reason> REASONS = List.of(
            new Reason("ruby", "2.", BODY, 312, 288L, CONFIGURATION),
            new Reason("ruby", "2.", "execution_context_struct.thread_ptr", 48, 56L, NO_OBJSPACE),
            new Reason("ruby", "2.", "thread_struct.vm", 32, 24L, NO_OBJSPACE),
            new Reason("ruby", "2.", "vm_struct.gc_objspace", 0, 1152L, NO_OBJSPACE),
            new Reason("ruby", "2.", "objspace.flags", 0, 16L, NO_OBJSPACE),
            new Reason("ruby", "3.3.", BODY, 344, 312L, CONFIGURATION),
            new Reason("ruby", "3.4.", BODY, 352, 296L, "a build without YJIT; they read 56 bytes past the struct"),
            new Reason(
                    "php",
                    "7.4.",
                    "zend_function.Sizeof",
                    168,
                    152L,
                    "more bytes than the members take that they read"),
            new Reason("python", "3.15.", "PyASCIIObject.Data", 48, 40L, OTHER_PYTHON),
            new Reason("python", "3.15.", "PyThreadState.Frame", 24, 72L, OTHER_PYTHON),
            new Reason("beam", "25.", "atom.name", 0, 32L, OTHER_OTP),
            new Reason("beam", "25.", "beamCodeHeader.functions", 0, 96L, OTHER_OTP),
            new Reason("beam", "25.", "beamCodeHeader.sizeOf", 0, 104L, OTHER_OTP),
            new Reason("beam", "25.", "erlHeapBits.data", 16, 0L, OTHER_OTP),
            new Reason("beam", "27.", "erlHeapBits.data", 16, 0L, "read since OTP 28"));

    /**
     * Returns why a name of a map differs from the profiler's, or null. A reason excuses the two values that it states, and no
     * others.
     */
    static @Nullable String reason(String set, String version, String name, long theirs, @Nullable Long ours) {
        return REASONS.stream()
                .filter(reason -> reason.set.equals(set)
                        && reason.name.equals(name)
                        && version.startsWith(reason.versions)
                        && reason.theirs == theirs
                        && Objects.equals(reason.ours, ours))
                .map(Reason::text)
                .findFirst()
                .orElse(null);
    }

    private static final Pattern VERSION = Pattern.compile(" (?:\\d+:)?(\\d+(?:\\.\\d+)+)");

    private final Path checkout;
    private final Path program;

    /**
     * @param root of this project
     * @param checkout of the profiler
     * @param folder for the compiled program
     */
    ProfilerTables(Path root, Path checkout, Path folder) throws IOException {
        this.checkout = checkout;
        this.program = Files.createDirectories(folder.toAbsolutePath()).resolve("profilertables");
        RequiredTool.require("go").outputIn(root.resolve("dev/profilertables"), "build", "-o", program, ".");
    }

    /** Values that the profiler has for a version of a runtime, and the places in its source that were not understood. */
    record Table(Map<String, Long> values, List<String> unread) {}

    /** A name whose values differ. */
    record Difference(
            String name,
            long theirs,
            @Nullable Long ours,
            @Nullable String reason) {}

    /**
     * Result for a build.
     *
     * @param names the number of names that the profiler has
     * @param extra names of the map that the profiler finds out at run time
     */
    record Comparison(
            String version,
            String arch,
            int names,
            List<Difference> differences,
            List<String> extra,
            List<String> unread) {}

    static boolean has(String set) {
        return FOLDERS.containsKey(set);
    }

    Comparison compare(SetBuild build) throws IOException, ExtractionException {
        SetBuild.BuildFiles files = build.source().files();
        Matcher version = VERSION.matcher(files.origin());
        if (!version.find()) {
            throw new IOException("no version in \"" + files.origin() + "\"");
        }
        String arch = arch(build, files);
        Table table = table(build.set(), version.group(1), arch);
        Map<String, Long> ours = ours(build.set(), files);
        List<Difference> differences = differences(build.set(), version.group(1), table.values(), ours);
        List<String> extra = ours.keySet().stream()
                .filter(name -> !table.values().containsKey(name))
                .toList();
        return new Comparison(version.group(1), arch, table.values().size(), differences, extra, table.unread());
    }

    /** Returns Go's name of a build's machine. BTF alone does not state it; then the name of the build ends in it. */
    private static String arch(SetBuild build, SetBuild.BuildFiles files) throws IOException, ExtractionException {
        return DebugInfo.read(files.types(), new ReadOptions(Limits.DEFAULT, 1), info -> {
            String machine = info.architecture().machine();
            return info.facts().isRawBtf()
                    ? build.name().substring(build.name().lastIndexOf('-') + 1)
                    : ARCHITECTURES.getOrDefault(machine, machine);
        });
    }

    /** Returns the values of the map of a set in some files; names without a value are left out. */
    static Map<String, Long> ours(String set, SetBuild.BuildFiles files) throws IOException, ExtractionException {
        Map<String, Long> ours = new TreeMap<>();
        Expansion expansion = Expansion.ofMap(List.of(ItemParser.parse("@" + set)), MAP, new BuiltInTypeSets());
        SetCheck.answers(expansion, files).map().orElseThrow().values().forEach(named -> {
            if (named.value() instanceof MapValue.Known known) {
                ours.put(named.name(), known.number().longValueExact());
            }
        });
        return ours;
    }

    /** Returns the names of the profiler's table whose values in the map are others, with the known reasons. */
    static List<Difference> differences(String set, String version, Map<String, Long> theirs, Map<String, Long> ours) {
        List<Difference> differences = new ArrayList<>();
        theirs.forEach((name, value) -> {
            Long known = ours.get(name);
            if (!value.equals(known)) {
                differences.add(new Difference(name, value, known, reason(set, version, name, value, known)));
            }
        });
        return differences;
    }

    /** Reads the profiler's table for a version of the runtime of a set. */
    Table table(String set, String version, String arch) throws IOException {
        List<String> folder = FOLDERS.getOrDefault(set, List.of());
        List<Object> arguments = new ArrayList<>();
        arguments.add(checkout.resolve("interpreter").resolve(folder.getFirst()));
        arguments.add(version);
        arguments.add(arch);
        arguments.addAll(folder.subList(1, folder.size()));
        return parse(RequiredTool.at(program).output(arguments.toArray()));
    }

    /** Parses what {@code dev/profilertables} prints. */
    static Table parse(String json) {
        JsonNode printed = JsonMapper.shared().readTree(json);
        Map<String, Long> values = new TreeMap<>();
        printed.get("values")
                .properties()
                .forEach(value -> values.put(value.getKey(), value.getValue().longValue()));
        List<String> unread = new ArrayList<>();
        printed.get("unread").forEach(place -> unread.add(place.stringValue()));
        return new Table(values, unread);
    }
}
