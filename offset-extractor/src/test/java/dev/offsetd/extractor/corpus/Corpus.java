package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The command {@code ./offsetd corpus}: compares real packages with other people's tools, definition by definition. The module
 * above the reader runs it, with another comparison.
 */
public final class Corpus {

    private static final int EXIT_DIFFERENCE = 1;
    private static final int EXIT_USAGE = 2;
    private static final String USAGE = """
            usage: offsetd corpus [--list] [--no-names] [--report FILE] [--file PATH]... [NAME]...

            Compares the named entries, or all, with other tools:
              every definition with readelf, llvm-dwarfdump and bpftool, at the same DIE
              types whose name is unambiguous with drgn, gdb and pahole
              functions and lines at 20,000 addresses with llvm-symbolizer, addr2line and eu-addr2line
              file offsets of symbols with readelf; functions of stripped Go programs with .symtab or debug/gosym
              exported BTF with its DWARF, by bpftool, pahole and the reader
              1,000 random paths through pointers with gdb and drgn
              items with resolve, in each leaf of each variable

              --list          lists the entries
              --file PATH     compares this file too; without a NAME nothing else
              --no-names      leaves out what is asked for by name, and answers
              --report FILE   writes the tables as Markdown
            """;

    private final PrintStream out;
    private final FurtherComparison further;
    private final List<String> names = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private Optional<Path> reportFile = Optional.empty();
    private boolean asksByName = true;
    private boolean lists;

    private Corpus(PrintStream out, FurtherComparison further) {
        this.out = out;
        this.further = further;
    }

    /**
     * Runs the command with a further comparison of each file, and ends the process: 0 if everything agrees or is explained, 1
     * if not, 2 for unknown arguments. The folder for compiled files is in the system property {@code offsetd.compiled}.
     */
    public static void run(FurtherComparison further, String... arguments) throws IOException {
        System.exit(new Corpus(new PrintStream(System.out, true, StandardCharsets.UTF_8), further).run(arguments));
    }

    private int run(String... arguments) throws IOException {
        List<CorpusEntry> all = CorpusEntries.all(new Compiled(Compiled.defaultFolder()));
        if (!parse(arguments) || !all.stream().map(CorpusEntry::name).toList().containsAll(names)) {
            System.err.print(USAGE);
            return EXIT_USAGE;
        }
        if (lists) {
            all.forEach(entry -> out.printf("%-16s %s%n", entry.name(), entry.what()));
            return 0;
        }
        CorpusReport report = new CorpusReport();
        CorpusRun run = new CorpusRun(out, report, asksByName, further);
        entries(all).forEach(run::run);
        String markdown = report.markdown();
        out.println();
        out.print(markdown);
        if (reportFile.isPresent()) {
            Files.writeString(reportFile.get(), markdown);
        }
        return report.isClean() ? 0 : EXIT_DIFFERENCE;
    }

    private boolean parse(String... arguments) {
        Deque<String> left = new ArrayDeque<>(List.of(arguments));
        while (!left.isEmpty()) {
            String argument = left.remove();
            switch (argument) {
                case "--list" -> lists = true;
                case "--no-names" -> asksByName = false;
                case "--file", "--report" -> {
                    if (left.isEmpty()) {
                        return false;
                    }
                    Path path = Path.of(left.remove());
                    if (argument.equals("--file")) {
                        files.add(path);
                    } else {
                        reportFile = Optional.of(path);
                    }
                }
                default -> {
                    if (argument.startsWith("-")) {
                        return false;
                    }
                    names.add(argument);
                }
            }
        }
        return true;
    }

    private List<CorpusEntry> entries(List<CorpusEntry> all) {
        List<CorpusEntry> chosen = new ArrayList<>();
        for (Path file : files) {
            String name = String.valueOf(file.getFileName());
            chosen.add(new CorpusEntry(name, "given", () -> List.of(given(file))));
        }
        if (files.isEmpty() || !names.isEmpty()) {
            all.stream()
                    .filter(entry -> names.isEmpty() || names.contains(entry.name()))
                    .forEach(chosen::add);
        }
        return chosen;
    }

    private static CorpusFile given(Path file) {
        if (!Files.isRegularFile(file)) {
            throw RequiredTool.unavailable(file + " is no file");
        }
        return CorpusFile.of("given file", file, Oracle.READELF, Oracle.LLVM_DWARFDUMP);
    }
}
