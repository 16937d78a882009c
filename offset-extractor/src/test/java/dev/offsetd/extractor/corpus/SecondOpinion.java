package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/** A tool that computes the layouts of given types by itself. */
public enum SecondOpinion {
    DRGN("drgn", Integer.MAX_VALUE, Integer.MAX_VALUE) {
        @Override
        String ask(Path file, Path names) throws IOException {
            return drgn("drgn_layouts.py", file, names);
        }

        @Override
        boolean canRead(CorpusFile file) throws IOException {
            return super.canRead(file) && !Readelf.isMips(file.path());
        }
    },
    GDB("gdb", 300, Long.MAX_VALUE) {
        @Override
        String ask(Path file, Path names) throws IOException {
            return RequiredTool.require("gdb")
                    .output(
                            "-nx",
                            "-batch",
                            "-iex",
                            "set debuginfod enabled off",
                            "-ex",
                            "set $types = \"" + names + "\"",
                            "-x",
                            script("gdb_layouts.py"),
                            file);
        }
    },
    PAHOLE("pahole", Integer.MAX_VALUE, Integer.MAX_VALUE) {
        // Compare sizes only, because pahole's text output of members is hard to parse.
        @Override
        String ask(Path file, Path names) throws IOException {
            List<String> lines = new ArrayList<>();
            RequiredTool.require("pahole")
                    .output("-F", "dwarf", "--sizes", file)
                    .lines()
                    .map(line -> line.split("\t", -1))
                    .forEach(fields -> {
                        lines.add("struct " + fields[0] + "\t" + fields[1]);
                        lines.add("union " + fields[0] + "\t" + fields[1]);
                    });
            return String.join("\n", lines);
        }

        // pahole ignores links to supplementary files, and for a kernel it needs more memory than many machines have.
        @Override
        boolean canRead(CorpusFile file) throws IOException {
            return file.supplementary().isEmpty() && file.path().toFile().length() < MOST_FOR_PAHOLE;
        }

        @Override
        boolean agrees(String ours, String theirs) {
            return ours.startsWith(theirs + "\t");
        }
    };

    private static final long MOST_FOR_PAHOLE = 100_000_000;

    private final String command;
    private final int most;
    private final long largestBytes;

    /** @param largestBytes size of the largest type to compare; tools based on libdw truncate sizes to 32 bits */
    SecondOpinion(String command, int most, long largestBytes) {
        this.command = command;
        this.most = most;
        this.largestBytes = largestBytes;
    }

    /**
     * Result of a comparison.
     *
     * @param tool name of the other tool
     * @param compared number of types that the tool found
     * @param differences the layouts that differ, as both sides print them
     */
    public record Result(String tool, int compared, List<String> differences) {
        public Result {
            differences = List.copyOf(differences);
        }
    }

    /** Compares the tool's layouts with ours. */
    Result compare(Path file, Map<String, String> layouts) throws IOException {
        Map<String, String> ours = new TreeMap<>(layouts);
        ours.values().removeIf(layout -> Long.parseLong(layout.substring(0, layout.indexOf('\t'))) > largestBytes);
        List<String> all = List.copyOf(ours.keySet());
        // Take an evenly spread sample: the tool reads a whole unit for every type in it.
        int step = Math.max(1, all.size() / most);
        Path names = Files.createTempFile("names", ".txt");
        Map<String, String> theirs = new HashMap<>();
        try {
            Files.write(
                    names,
                    all.stream().filter(name -> all.indexOf(name) % step == 0).toList());
            ask(file.toAbsolutePath(), names).lines().forEach(line -> {
                String[] fields = line.split("\t", 2);
                theirs.put(fields[0], fields.length == 1 ? "" : fields[1]);
            });
        } finally {
            Files.delete(names);
        }
        return compare(command, ours, theirs, this::agrees);
    }

    /** Compares the layouts that both sides have. */
    public static Result compare(
            String tool, Map<String, String> ours, Map<String, String> theirs, BiPredicate<String, String> agree) {
        int compared = 0;
        List<String> differences = new ArrayList<>();
        for (Map.Entry<String, String> entry : ours.entrySet()) {
            String their = theirs.get(entry.getKey());
            if (their != null) {
                compared++;
                if (!agree.test(entry.getValue(), their)) {
                    differences.add(entry.getKey() + "\n  ours   " + entry.getValue() + "\n  " + tool + " " + their);
                }
            }
        }
        return new Result(tool, compared, differences);
    }

    /**
     * Returns whether the tool can read the file.
     *
     * @throws IOException if the header of the file cannot be read
     */
    boolean canRead(CorpusFile file) throws IOException {
        return file.path().equals(file.dumped());
    }

    /** Returns one line per type: kind and name, a tab, and the layout in the format of {@link NamedLayouts}. */
    abstract String ask(Path file, Path names) throws IOException;

    boolean agrees(String ours, String theirs) {
        return ours.equals(theirs);
    }

    /** Runs a script of the corpus with drgn. */
    public static String drgn(String script, Path file, Path questions) throws IOException {
        RequiredTool.require("drgn");
        // Debian's drgn is a module of this interpreter; another python3 may come first on the path.
        return RequiredTool.at(Path.of("/usr/bin/python3")).output(script(script), file, questions);
    }

    private static Path script(String name) throws IOException {
        URL resource = SecondOpinion.class.getResource("/corpus/" + name);
        if (resource == null) {
            throw new IOException("no resource /corpus/" + name);
        }
        try {
            return Path.of(resource.toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    @Override
    public String toString() {
        return command;
    }
}
