package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.ItemParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
            "beam", List.of("beam"));

    /**
     * Why a name differs in some versions.
     *
     * @param versions how these versions begin; empty for all
     */
    private record Reason(String set, String versions, String name, String text) {}

    private static final String NO_OBJSPACE = "not read before 3.1";
    private static final String OTHER_OTP = "OTP 27 and 28 only";

    private static final List<Reason> REASONS = List.of(
            new Reason(
                    "ruby",
                    "",
                    "iseq_constant_body.size_of_iseq_constant_body",
                    "its end depends on the compilers that were configured, and theirs is of another configuration"),
            new Reason("ruby", "2.", "execution_context_struct.thread_ptr", NO_OBJSPACE),
            new Reason("ruby", "2.", "thread_struct.vm", NO_OBJSPACE),
            new Reason("ruby", "2.", "vm_struct.gc_objspace", NO_OBJSPACE),
            new Reason("ruby", "2.", "objspace.flags", NO_OBJSPACE),
            new Reason("php", "", "zend_function.Sizeof", "more bytes than the members take that they read"),
            new Reason("beam", "27.", "erlHeapBits.data", "read since OTP 28"),
            new Reason("beam", "25.", "erlHeapBits.data", OTHER_OTP),
            new Reason("beam", "25.", "atom.name", OTHER_OTP),
            new Reason("beam", "25.", "beamCodeHeader.functions", OTHER_OTP),
            new Reason("beam", "25.", "beamCodeHeader.sizeOf", OTHER_OTP));

    private static @Nullable String reason(String set, String version, String name) {
        return REASONS.stream()
                .filter(reason ->
                        reason.set.equals(set) && reason.name.equals(name) && version.startsWith(reason.versions))
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
            String version, int names, List<Difference> differences, List<String> extra, List<String> unread) {}

    static boolean has(String set) {
        return FOLDERS.containsKey(set);
    }

    Comparison compare(SetBuild build) throws IOException, ExtractionException {
        SetBuild.BuildFiles files = build.source().files();
        Matcher version = VERSION.matcher(files.origin());
        if (!version.find()) {
            throw new IOException("no version in \"" + files.origin() + "\"");
        }
        Table table = table(build.set(), version.group(1), "amd64");
        Map<String, Long> ours = new TreeMap<>();
        Expansion expansion = Expansion.ofMap(List.of(ItemParser.parse("@" + build.set())), MAP, new BuiltInTypeSets());
        SetCheck.answers(expansion, files).map().orElseThrow().values().forEach(named -> {
            if (named.value() instanceof MapValue.Known known) {
                ours.put(named.name(), known.number().longValueExact());
            }
        });
        List<Difference> differences = new ArrayList<>();
        table.values().forEach((name, theirs) -> {
            Long value = ours.remove(name);
            if (!theirs.equals(value)) {
                differences.add(new Difference(name, theirs, value, reason(build.set(), version.group(1), name)));
            }
        });
        return new Comparison(
                version.group(1), table.values().size(), differences, List.copyOf(ours.keySet()), table.unread());
    }

    /** Reads the profiler's table for a version of the runtime of a set. */
    Table table(String set, String version, String arch) throws IOException {
        List<String> folder = FOLDERS.getOrDefault(set, List.of());
        List<Object> arguments = new ArrayList<>();
        arguments.add(checkout.resolve("interpreter").resolve(folder.getFirst()));
        arguments.add(version);
        arguments.add(arch);
        arguments.addAll(folder.subList(1, folder.size()));
        JsonNode printed = JsonMapper.shared().readTree(RequiredTool.at(program).output(arguments.toArray()));
        Map<String, Long> values = new TreeMap<>();
        printed.get("values")
                .properties()
                .forEach(value -> values.put(value.getKey(), value.getValue().longValue()));
        List<String> unread = new ArrayList<>();
        printed.get("unread").forEach(place -> unread.add(place.stringValue()));
        return new Table(values, unread);
    }
}
