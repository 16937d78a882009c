package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A tool that tells the functions and lines at addresses of a file. */
public enum FrameOpinion {
    LLVM_SYMBOLIZER("llvm-symbolizer", true) {
        @Override
        String ask(Path file, String section, List<String> addresses) throws IOException {
            return RequiredTool.require("llvm-symbolizer")
                    .output(arguments(
                            addresses,
                            "--obj=" + file,
                            "--functions=linkage",
                            "--no-demangle",
                            "--inlines",
                            "--print-address"));
        }
    },
    ADDR2LINE("addr2line", false) {
        @Override
        String ask(Path file, String section, List<String> addresses) throws IOException {
            return addr2line(file, section, addresses);
        }
    },
    EU_ADDR2LINE("eu-addr2line", true) {
        @Override
        String ask(Path file, String section, List<String> addresses) throws IOException {
            return addr2line(file, section, addresses);
        }
    };

    private static final int AT_ONCE = 10_000;

    /** The slower tools are asked about addresses beyond these only where llvm-symbolizer differs. */
    private static final int ASKED_OF_ALL = 20_000;

    /** eu-addr2line takes half a second for each address in larger files. */
    private static final long MOST_BYTES_OF_ELFUTILS = 64 << 20;

    private static final Pattern PLACE = Pattern.compile("(.*?):([0-9?]+)(?::([0-9?]+))?(?: \\(.*\\))?");
    private static final Pattern CODE =
            Pattern.compile("\\s+\\[ *\\d+] (\\S*) +\\S+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +[A-Za-z]*X.*");

    /** Suffixes that compilers append to the names of clones. */
    private static final Pattern CLONE =
            Pattern.compile("(?:\\.(?:abi0|cold|part|constprop|isra|lto_priv|llvm|localalias|__uniq)(?:\\.\\d+)*)+$");

    /** Constructors and destructors of C++, of which two may be one function. */
    private static final Pattern BODIES = Pattern.compile("([CD])[124]([EI])");

    /** A name that no compiler has made of others: mangled ones begin otherwise, or have other characters. */
    private static final Pattern PLAIN = Pattern.compile("(?!_[ZD]\\d?)[A-Za-z0-9_$]+");

    private final String command;
    private final boolean hasColumns;

    FrameOpinion(String command, boolean hasColumns) {
        this.command = command;
        this.hasColumns = hasColumns;
    }

    /**
     * Returns what the tool prints, after a line for each address.
     *
     * @param section what the addresses count from, or empty
     */
    abstract String ask(Path file, String section, List<String> addresses) throws IOException;

    String addr2line(Path file, String section, List<String> addresses) throws IOException {
        RequiredTool tool = RequiredTool.require(command);
        return section.isEmpty()
                ? tool.output(arguments(addresses, "-e", file, "-i", "-f", "-a"))
                : tool.output(arguments(addresses, "-e", file, "-j", section, "-i", "-f", "-a"));
    }

    static Object[] arguments(List<String> addresses, Object... options) {
        List<Object> all = new ArrayList<>(List.of(options));
        all.addAll(addresses);
        return all.toArray();
    }

    /** A frame as a tool prints it; parts that it does not know are null or 0. */
    private record Printed(
            @Nullable String function, @Nullable String file, int line, int column) {}

    /**
     * A section of code.
     *
     * @param name empty if tools know its addresses, which a relocatable file does not have
     * @param start its first address in the table
     */
    private record CodeSection(String name, long start, long size) {

        boolean has(long address) {
            return Long.compareUnsigned(address - start, size) < 0;
        }

        String toolsAddress(long address) {
            return "0x" + Long.toHexString(name.isEmpty() ? address : address - start);
        }
    }

    /** Returns addresses of code, spread at random, the same in each run. */
    public static long[] addresses(Path file, int count) throws IOException {
        List<CodeSection> sections = codeSections(file);
        long bytes = sections.stream().mapToLong(CodeSection::size).sum();
        Random random = new Random(45);
        long[] addresses = new long[bytes == 0 ? 0 : count];
        for (int i = 0; i < addresses.length; i++) {
            long at = random.nextLong(bytes);
            int section = 0;
            while (at >= sections.get(section).size()) {
                at -= sections.get(section++).size();
            }
            addresses[i] = sections.get(section).start() + at;
        }
        return addresses;
    }

    /** Returns the sections of code. Sections of relocatable files are in a row from 0, each aligned to 16 bytes. */
    private static List<CodeSection> codeSections(Path file) throws IOException {
        RequiredTool readelf = RequiredTool.require("readelf");
        boolean relocatable = readelf.output("-hW", file).contains("REL (Relocatable file)");
        List<CodeSection> sections = new ArrayList<>();
        long end = 0;
        for (String line : readelf.output("-SW", file).lines().toList()) {
            Matcher matcher = CODE.matcher(line);
            long size = matcher.matches() ? Long.parseLong(matcher.group(3), 16) : 0;
            if (size > 0 && relocatable) {
                sections.add(new CodeSection(matcher.group(1), end, size));
                end = (end + size + 15) & -16;
            } else if (size > 0) {
                sections.add(new CodeSection("", Long.parseUnsignedLong(matcher.group(2), 16), size));
            }
        }
        return sections;
    }

    /** A file to compare. */
    private record Subject(Path file, FrameTable table, NamedCode named, List<CodeSection> sections) {

        boolean hasSeveralSections() {
            return sections.size() > 1 && !sections.getFirst().name().isEmpty();
        }
    }

    /** Returns what the tool prints for each address. */
    private List<List<Printed>> printed(Path file, List<CodeSection> sections, long[] addresses) throws IOException {
        Map<CodeSection, List<Integer>> bySection = IntStream.range(0, addresses.length)
                .boxed()
                .collect(Collectors.groupingBy(i -> sections.stream()
                        .filter(section -> section.has(addresses[i]))
                        .findFirst()
                        .orElseThrow()));
        List<List<Printed>> printed = new ArrayList<>(Collections.nCopies(addresses.length, List.of()));
        for (Map.Entry<CodeSection, List<Integer>> entry : bySection.entrySet()) {
            CodeSection section = entry.getKey();
            List<Integer> all = entry.getValue();
            for (int from = 0; from < all.size(); from += AT_ONCE) {
                List<Integer> some = all.subList(from, Math.min(all.size(), from + AT_ONCE));
                List<String> asked = some.stream()
                        .map(i -> section.toolsAddress(addresses[i]))
                        .toList();
                Iterator<List<Printed>> chains =
                        chains(ask(file, section.name(), asked)).iterator();
                some.forEach(i -> printed.set(i, chains.next()));
            }
        }
        return printed;
    }

    /** Tells how the frames at an address differ from what the tool prints; null if they do not. */
    private interface Comparison {
        @Nullable
        String of(long address, List<Frame> ours, List<Printed> theirs);
    }

    /**
     * How a tool differs at an address.
     *
     * @param kind what differs
     * @param text with the frames of both
     */
    private record Difference(String kind, String text) {}

    /** Returns for each address how the tool differs from the table; null where it agrees. */
    private List<@Nullable Difference> differences(
            FrameTable table, long[] addresses, List<List<Printed>> printed, Comparison comparison) {
        List<@Nullable Difference> differences = new ArrayList<>();
        for (int i = 0; i < addresses.length; i++) {
            List<Frame> ours = table.at(addresses[i]);
            String kind = comparison.of(addresses[i], ours, printed.get(i));
            differences.add(
                    kind == null
                            ? null
                            : new Difference(
                                    kind,
                                    "0x" + Long.toHexString(addresses[i]) + ": " + kind + "\n  offsetd " + text(ours)
                                            + "\n  " + command + " " + printed.get(i)));
        }
        return differences;
    }

    /**
     * Comparison of a tool with a file, by address; null where both agree.
     *
     * @param functions differences of the function around each address, of which llvm-symbolizer alone is asked
     */
    private record Opinion(List<@Nullable Difference> differences, List<@Nullable Difference> functions) {

        boolean agreesAt(int address) {
            return differences.get(address) == null && (functions.isEmpty() || functions.get(address) == null);
        }
    }

    /** Returns the opinion of the tool; empty if it cannot read the file, or takes too long. */
    private Optional<Opinion> opinion(Subject subject, long[] addresses) throws IOException {
        if (this == EU_ADDR2LINE ? Files.size(subject.file()) > MOST_BYTES_OF_ELFUTILS : isMixedUpBy(subject)) {
            return Optional.empty();
        }
        List<List<Printed>> printed;
        try {
            printed = printed(subject.file(), subject.sections(), addresses);
        } catch (IOException unreadable) {
            return Optional.empty();
        }
        return Optional.of(new Opinion(
                differences(subject.table(), addresses, printed, (_, ours, theirs) -> difference(ours, theirs)),
                this == LLVM_SYMBOLIZER
                        ? differences(
                                subject.table(),
                                addresses,
                                printed,
                                (at, ours, theirs) -> functionDifference(ours, theirs, at, subject.named()))
                        : List.of()));
    }

    private boolean isMixedUpBy(Subject subject) {
        return this == LLVM_SYMBOLIZER && subject.hasSeveralSections();
    }

    /** Asks all tools that can read the file. */
    private static Map<FrameOpinion, Opinion> opinions(Subject subject, long[] addresses) throws IOException {
        Map<FrameOpinion, Opinion> opinions = new EnumMap<>(FrameOpinion.class);
        for (FrameOpinion tool : values()) {
            tool.opinion(subject, addresses).ifPresent(opinion -> opinions.put(tool, opinion));
        }
        return opinions;
    }

    /** Returns the addresses at which no tool agrees with the table, and those whose function llvm-symbolizer does not find. */
    private static List<String> disagreements(Collection<Opinion> opinions, int addresses) {
        List<String> disagreements = new ArrayList<>();
        for (int i = 0; i < addresses; i++) {
            int address = i;
            if (opinions.stream().allMatch(opinion -> opinion.differences().get(address) != null)) {
                disagreements.add(opinions.stream()
                        .map(opinion -> Objects.requireNonNull(
                                        opinion.differences().get(address))
                                .text())
                        .collect(Collectors.joining("\n")));
            }
        }
        opinions.stream()
                .flatMap(opinion -> opinion.functions().stream())
                .filter(Objects::nonNull)
                .map(Difference::text)
                .forEach(disagreements::add);
        return disagreements;
    }

    /**
     * Addresses at which a tool differs.
     *
     * @param asked number of addresses that it was asked about; 0 if it cannot read the file, or takes too long
     * @param differing number of those at which it differs, by what differs
     */
    record Tally(int asked, Map<String, Integer> differing) {

        static final Tally NONE = new Tally(0, Map.of());

        private static Tally of(Opinion opinion) {
            Map<String, Integer> differing = new TreeMap<>();
            opinion.differences().stream()
                    .filter(Objects::nonNull)
                    .forEach(difference ->
                            differing.merge(difference.kind().replaceFirst(" of frame \\d+", ""), 1, Integer::sum));
            return new Tally(opinion.differences().size(), differing);
        }

        Tally plus(Tally other) {
            Map<String, Integer> sum = new TreeMap<>(differing);
            other.differing.forEach((kind, count) -> sum.merge(kind, count, Integer::sum));
            return new Tally(asked + other.asked, sum);
        }

        @Override
        public String toString() {
            return differing + " of " + asked;
        }
    }

    /**
     * A comparison with all tools.
     *
     * @param tallies by the name of the tool
     * @param result the addresses at which no tool agrees with the table, and those whose function llvm-symbolizer does not
     *     find
     */
    record Outcome(Map<String, Tally> tallies, SecondOpinion.Result result) {}

    /** Compares the table with all tools that can read the file. Why they differ from each other is in docs/exactness.md. */
    static Outcome compare(Path file, FrameTable table, long[] addresses) throws IOException, ExtractionException {
        Subject subject = new Subject(file, table, NamedCode.of(file), codeSections(file));
        long[] first = Arrays.copyOf(addresses, Math.min(addresses.length, ASKED_OF_ALL));
        Map<FrameOpinion, Opinion> opinions = opinions(subject, first);
        Map<String, Tally> tallies = new LinkedHashMap<>();
        for (FrameOpinion tool : values()) {
            tallies.put(
                    tool.command,
                    Optional.ofNullable(opinions.get(tool)).map(Tally::of).orElse(Tally.NONE));
        }
        List<String> differences = disagreements(opinions.values(), first.length);
        int compared = first.length;
        if (addresses.length > first.length && opinions.containsKey(LLVM_SYMBOLIZER)) {
            long[] others = Arrays.copyOfRange(addresses, first.length, addresses.length);
            Opinion opinion = LLVM_SYMBOLIZER.opinion(subject, others).orElseThrow();
            long[] doubtful = IntStream.range(0, others.length)
                    .filter(i -> !opinion.agreesAt(i))
                    .mapToLong(i -> others[i])
                    .toArray();
            tallies.merge(LLVM_SYMBOLIZER.command, Tally.of(opinion), Tally::plus);
            differences.addAll(disagreements(opinions(subject, doubtful).values(), doubtful.length));
            compared += others.length;
        }
        return new Outcome(tallies, new SecondOpinion.Result("frames", compared, differences));
    }

    private static String text(List<Frame> frames) {
        return frames.stream()
                .map(frame -> frame.function() + " " + frame.linkageName() + " " + frame.file() + ":" + frame.line()
                        + ":" + frame.column())
                .collect(Collectors.joining("; "));
    }

    private List<List<Printed>> chains(String output) {
        List<List<Printed>> chains = new ArrayList<>();
        String function = null;
        for (String line : output.lines().toList()) {
            boolean separates = line.isEmpty() && this == LLVM_SYMBOLIZER;
            if (function != null) {
                chains.getLast().add(printed(function, line));
                function = null;
            } else if (line.startsWith("0x")) {
                chains.add(new ArrayList<>());
            } else if (!separates) {
                function = line;
            }
        }
        return chains;
    }

    private static Printed printed(String function, String place) {
        // eu-addr2line says which function of the file that it is inlined into.
        String name = function.replaceAll(" inlined (at|in) .*", "");
        Matcher matcher = PLACE.matcher(place);
        if (!matcher.matches()) {
            return new Printed(name, null, 0, 0);
        }
        String path = matcher.group(1);
        return new Printed(
                name.equals("??") ? null : name,
                path.equals("??") ? null : path,
                number(matcher.group(2)),
                matcher.group(3) == null ? 0 : number(matcher.group(3)));
    }

    private static int number(String text) {
        return text.equals("?") ? 0 : Integer.parseInt(text);
    }

    /** Returns what differs, or null. */
    private @Nullable String difference(List<Frame> ours, List<Printed> theirs) {
        boolean symbolOnly = theirs.size() == 1 && theirs.getFirst().line == 0;
        if (symbolOnly
                && (ours.isEmpty() || (ours.size() == 1 && ours.getFirst().file() == null))) {
            // Without a line, tools take the nearest symbol however far it is, and the name of its source from its
            // table.
            return null;
        }
        if (ours.isEmpty()) {
            return "frames where offsetd has none";
        }
        if (ours.size() != theirs.size()) {
            return theirs.size() < ours.size() ? "fewer frames" : "more frames";
        }
        for (int i = 0; i < ours.size(); i++) {
            Frame frame = ours.get(i);
            Printed printed = theirs.get(i);
            if (!sameFile(frame, printed)) {
                return (printed.file == null ? "no file" : "another file") + " of frame " + i;
            }
            if (frame.line() != printed.line) {
                return (printed.line == 0 ? "no line" : "another line") + " of frame " + i;
            }
            if (hasColumns && frame.column() != printed.column) {
                return "another column of frame " + i;
            }
            // llvm-symbolizer names the outermost function after the symbol table: see functionDifference.
            if (!sameFunction(frame, printed) && i + 1 < ours.size()) {
                return "another function of frame " + i;
            }
        }
        return null;
    }

    /**
     * Returns how the function around the address differs from that of the symbol table, which llvm-symbolizer prints, or null.
     * Reasons that do not count: clones of compilers have a suffix there, several symbols may be at the address, and debug
     * information may have no linkage name.
     */
    private static @Nullable String functionDifference(
            List<Frame> ours, List<Printed> theirs, long address, NamedCode named) {
        if (ours.size() != theirs.size() || theirs.getLast().function == null) {
            return null;
        }
        Frame frame = ours.getLast();
        String function = theirs.getLast().function;
        if (!named.hold(function, address)) {
            // Tools take the nearest symbol however far it is, such as those that LTO has of source files.
            return null;
        }
        if (frame.function() == null) {
            return "no function";
        }
        Printed whole = new Printed(withoutSuffix(function), null, 0, 0);
        Frame stripped = new Frame(
                withoutSuffix(frame.function()),
                frame.linkageName() == null ? null : withoutSuffix(frame.linkageName()),
                null,
                0,
                0,
                0,
                false);
        return sameFunction(stripped, whole)
                        || named.hold(linkageName(frame), address)
                        || (frame.linkageName() == null && isMadeOf(function, frame.function()))
                ? null
                : "function around it";
    }

    /**
     * Returns whether a symbol is made of the name of a function that has no linkage name, as of members of gcc's templates
     * over local types, nested functions of Ada and D, Crystal's methods, and Pascal, whose symbols are in capitals.
     */
    private static boolean isMadeOf(String symbol, String function) {
        String unqualified = TypeNames.unqualified(function);
        String simple =
                unqualified.replaceFirst("^[~$]", "").replaceFirst("<.*", "").replace('·', '.');
        boolean abbreviated = simple.startsWith("operator") || simple.equals("allocator");
        return symbol.equals(simple)
                || (symbol.startsWith("_Z") && abbreviated)
                || (symbol.contains("$") && symbol.contains(simple.toUpperCase(Locale.ROOT)))
                || (symbol.contains(simple) && !PLAIN.matcher(symbol).matches());
    }

    private static String linkageName(Frame frame) {
        return frame.linkageName() == null ? String.valueOf(frame.function()) : frame.linkageName();
    }

    /** Returns the name without the suffix of a clone, and of the constructors or destructors of one body the first. */
    private static String withoutSuffix(String function) {
        return BODIES.matcher(CLONE.matcher(function).replaceFirst("")).replaceAll("$11$2");
    }

    /**
     * The names that the symbol table has of code, without suffixes.
     *
     * @param places where the code of a name starts and ends
     */
    private record NamedCode(Map<String, List<long[]>> places) {

        static NamedCode of(Path file) throws IOException, ExtractionException {
            SymbolReport report = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::symbolTables);
            Map<String, List<long[]>> places = new HashMap<>();
            for (Symbol symbol : report.tables().stream().flatMap(List::stream).toList()) {
                long start = report.values().addressOf(symbol);
                if (symbol.isPlace() && symbol.size() > 0) {
                    places.computeIfAbsent(withoutSuffix(symbol.name()), _ -> new ArrayList<>())
                            .add(new long[] {start, start + symbol.size()});
                }
            }
            return new NamedCode(places);
        }

        boolean hold(String name, long address) {
            return places.getOrDefault(withoutSuffix(name), List.of()).stream()
                    .anyMatch(place -> Long.compareUnsigned(address, place[0]) >= 0
                            && Long.compareUnsigned(address, place[1]) < 0);
        }
    }

    private static boolean sameFile(Frame ours, Printed theirs) {
        if (ours.file() == null || theirs.file == null) {
            // Without a place, LLVM names the source of the symbol.
            return ours.file() == null && (theirs.file == null || theirs.line == 0);
        }
        // Folder 0 of DWARF 5 is that of the compilation. If it is relative, tools join it with itself.
        return normalized(theirs.file).equals(normalized(ours.file()))
                || (ours.file().startsWith(".") && normalized(theirs.file).endsWith(normalized(ours.file())));
    }

    private static String normalized(String path) {
        return path.startsWith("/")
                ? Path.of(path).normalize().toString()
                : Path.of("/", path).normalize().toString();
    }

    private static boolean sameFunction(Frame ours, Printed theirs) {
        if (ours.linkageName() != null && ours.linkageName().equals(theirs.function)) {
            return true;
        }
        return ours.function() == null
                ? theirs.function == null
                : theirs.function != null
                        && (ours.function().equals(theirs.function)
                                || ours.function().endsWith("::" + theirs.function));
    }
}
