package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A tool that tells the functions and lines at addresses of a file. */
public enum FrameOpinion {
    LLVM_SYMBOLIZER("llvm-symbolizer", true) {
        @Override
        String ask(Path file, List<String> addresses) throws IOException {
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
        String ask(Path file, List<String> addresses) throws IOException {
            return RequiredTool.require("addr2line").output(arguments(addresses, "-e", file, "-i", "-f", "-a"));
        }
    },
    EU_ADDR2LINE("eu-addr2line", true) {
        @Override
        String ask(Path file, List<String> addresses) throws IOException {
            return RequiredTool.require("eu-addr2line").output(arguments(addresses, "-e", file, "-i", "-f", "-a"));
        }
    };

    private static final int AT_ONCE = 4_000;
    private static final Pattern PLACE = Pattern.compile("(.*?):([0-9?]+)(?::([0-9?]+))?(?: \\(.*\\))?");
    private static final Pattern CODE =
            Pattern.compile("\\s+\\[ *\\d+] \\S* +\\S+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +[A-Za-z]*X.*");

    private final String command;
    private final boolean hasColumns;

    FrameOpinion(String command, boolean hasColumns) {
        this.command = command;
        this.hasColumns = hasColumns;
    }

    /** Returns what the tool prints, after a line for each address. */
    abstract String ask(Path file, List<String> addresses) throws IOException;

    static Object[] arguments(List<String> addresses, Object... options) {
        List<Object> all = new ArrayList<>(List.of(options));
        all.addAll(addresses);
        return all.toArray();
    }

    /** A frame as a tool prints it; parts that it does not know are null or 0. */
    private record Printed(
            @Nullable String function, @Nullable String file, int line, int column) {}

    /** Returns addresses of code, spread at random, the same in each run. */
    public static long[] addresses(Path file, int count) throws IOException {
        List<long[]> sections = new ArrayList<>();
        long bytes = 0;
        for (String line :
                RequiredTool.require("readelf").output("-SW", file).lines().toList()) {
            Matcher matcher = CODE.matcher(line);
            long size = matcher.matches() ? Long.parseLong(matcher.group(2), 16) : 0;
            if (size > 0) {
                sections.add(new long[] {Long.parseUnsignedLong(matcher.group(1), 16), size});
                bytes += size;
            }
        }
        Random random = new Random(45);
        long[] addresses = new long[bytes == 0 ? 0 : count];
        for (int i = 0; i < addresses.length; i++) {
            long at = random.nextLong(bytes);
            int section = 0;
            while (at >= sections.get(section)[1]) {
                at -= sections.get(section++)[1];
            }
            addresses[i] = sections.get(section)[0] + at;
        }
        return addresses;
    }

    /** Returns for each address how the tool differs from the table; null where it agrees. */
    List<@Nullable String> differences(Path file, FrameTable table, long[] addresses) throws IOException {
        List<@Nullable String> differences = new ArrayList<>();
        for (int from = 0; from < addresses.length; from += AT_ONCE) {
            long[] some = Arrays.copyOfRange(addresses, from, Math.min(addresses.length, from + AT_ONCE));
            List<String> texts = Arrays.stream(some)
                    .mapToObj(at -> "0x" + Long.toHexString(at))
                    .toList();
            List<List<Printed>> chains = chains(ask(file, texts));
            for (int i = 0; i < some.length; i++) {
                String problem = difference(table.at(some[i]), chains.get(i));
                differences.add(
                        problem == null
                                ? null
                                : texts.get(i) + ": " + problem + "\n  offsetd " + text(table.at(some[i])) + "\n  "
                                        + command + " " + chains.get(i));
            }
        }
        return differences;
    }

    /**
     * A comparison with all tools.
     *
     * @param summary in how many addresses each tool differs
     * @param result the addresses at which no tool agrees with the table
     */
    record Outcome(String summary, SecondOpinion.Result result) {}

    /** Compares the table with all tools that can read the file. Why they differ from each other is in docs/exactness.md. */
    static Outcome compare(Path file, FrameTable table, long[] addresses) throws IOException {
        List<List<@Nullable String>> opinions = new ArrayList<>();
        List<String> summary = new ArrayList<>();
        for (FrameOpinion tool : values()) {
            try {
                List<@Nullable String> differences = tool.differences(file, table, addresses);
                opinions.add(differences);
                long count = differences.stream().filter(Objects::nonNull).count();
                summary.add(tool.command + " differs in " + count);
            } catch (IOException unreadable) {
                summary.add(tool.command + " cannot read the file");
            }
        }
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < addresses.length; i++) {
            int address = i;
            if (opinions.stream().allMatch(opinion -> opinion.get(address) != null)) {
                differences.add(opinions.stream()
                        .map(opinion -> String.valueOf(opinion.get(address)))
                        .collect(Collectors.joining("\n")));
            }
        }
        return new Outcome(
                String.join(", ", summary), new SecondOpinion.Result("frames", addresses.length, differences));
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
            return "frames";
        }
        if (ours.size() != theirs.size()) {
            return "depth";
        }
        for (int i = 0; i < ours.size(); i++) {
            Frame frame = ours.get(i);
            Printed printed = theirs.get(i);
            if (!sameFile(frame, printed)) {
                return "file of frame " + i;
            }
            if (frame.line() != printed.line) {
                return "line of frame " + i;
            }
            if (hasColumns && frame.column() != printed.column) {
                return "column of frame " + i;
            }
            // Tools name the outermost function after the symbol table.
            if (!sameFunction(frame, printed) && i + 1 < ours.size()) {
                return "function of frame " + i;
            }
        }
        return null;
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
