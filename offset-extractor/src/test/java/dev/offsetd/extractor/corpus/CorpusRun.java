package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.corpus.CorpusReport.Row;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.GoCompiler;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** One run over entries of the corpus: compares, prints, and keeps what the report needs. */
final class CorpusRun {

    private static final int SHOWN = 3;
    private static final int SHOWN_LENGTH = 2_000;

    /** So many files of an entry, the largest: the others hold little that these do not. */
    private static final int MOST_ASKED_BY_NAME = 4;

    /** Addresses of a file whose functions and lines are compared: a million in some 25 files. */
    private static final int ADDRESSES = 50_000;

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1).followingAnyPath();

    private final PrintStream out;
    private final CorpusReport report;
    private final boolean asksByName;
    private final FurtherComparison further;

    /** @param asksByName whether the tools of {@link SecondOpinion} are asked too, and the further comparison is made */
    CorpusRun(PrintStream out, CorpusReport report, boolean asksByName, FurtherComparison further) {
        this.out = out;
        this.report = report;
        this.asksByName = asksByName;
        this.further = further;
    }

    /** Fetches or builds the files of an entry and compares them. */
    void run(CorpusEntry entry) {
        progress(entry.name() + ": getting its files");
        List<CorpusFile> files;
        try {
            files = largestFirst(entry.source().files());
        } catch (IOException | TestAbortedException | AssertionError e) {
            progress("");
            String reason = firstLine(e);
            out.printf("%-16s not to be had: %s%n", entry.name(), reason);
            report.missing(entry.name(), reason);
            return;
        }
        for (int i = 0; i < files.size(); i++) {
            CorpusFile file = files.get(i);
            for (Oracle oracle : file.oracles()) {
                progress(entry.name() + ": " + oracle + ", file " + (i + 1) + " of " + files.size());
                boolean named = asksByName
                        && i < MOST_ASKED_BY_NAME
                        && oracle == file.oracles().getFirst();
                compare(entry, file, oracle, named);
            }
            if (asksByName && i < MOST_ASKED_BY_NAME) {
                progress(entry.name() + ": symbols of file " + (i + 1) + " of " + files.size());
                compareSymbols(entry, file);
            }
            if (asksByName && i < MOST_ASKED_BY_NAME && !file.oracles().isEmpty()) {
                progress(entry.name() + ": frames of file " + (i + 1) + " of " + files.size());
                compareFrames(entry, file);
                progress(entry.name() + ": answers from file " + (i + 1) + " of " + files.size());
                compareFurther(entry, file);
            }
        }
        progress("");
        report.lines(entry).forEach(out::println);
    }

    private static List<CorpusFile> largestFirst(List<CorpusFile> files) {
        return files.stream()
                .sorted(Comparator.comparingLong(
                                (CorpusFile file) -> file.path().toFile().length())
                        .reversed())
                .toList();
    }

    private void compare(CorpusEntry entry, CorpusFile file, Oracle oracle, boolean named) {
        long start = System.nanoTime();
        try {
            NamedLayouts layouts = new NamedLayouts();
            Comparison comparison = new Comparison(oracle.definitions(file));
            try (DebugInfo info = DebugInfo.open(file.path(), OPTIONS)) {
                info.forEachDefinition(definition -> {
                    ExpectedDefinition comparable = ReadDefinition.comparable(definition);
                    comparison.add(comparable);
                    if (named) {
                        layouts.add(definition, comparable);
                    }
                });
            }
            Comparison.Result result = comparison.finish();
            double seconds = (System.nanoTime() - start) / 1e9;
            report.add(new Row(entry, file, oracle.toString(), result, Files.size(file.path()), seconds));
            result.differences().stream().limit(SHOWN).forEach(difference -> show(entry, difference.toString()));
            if (named && oracle == Oracle.BPFTOOL) {
                compareWithDwarf(entry, file, layouts.unambiguous());
            } else if (named) {
                askByName(entry, file, layouts.unambiguous());
            }
        } catch (TestAbortedException e) {
            report.missing(entry.name() + ", " + oracle, firstLine(e));
        } catch (ExtractionException | IOException | IllegalStateException | AssertionError e) {
            show(entry, oracle + ": " + firstLine(e));
            report.failed(entry, file, oracle + ": " + firstLine(e));
        }
    }

    private void compareFrames(CorpusEntry entry, CorpusFile file) {
        try {
            long[] addresses = FrameOpinion.addresses(file.path(), ADDRESSES);
            if (addresses.length > 0) {
                FrameOpinion.Outcome outcome = FrameOpinion.compare(
                        file.path(), DebugInfo.read(file.path(), OPTIONS, DebugInfo::allFrames), addresses);
                out.printf("%s: frames, %s%n", file.path().getFileName(), outcome.tallies());
                report.frames(outcome);
                show(entry, outcome.result());
            }
        } catch (TestAbortedException e) {
            report.missing(entry.name() + ", frames", firstLine(e));
        } catch (ExtractionException | IOException | IllegalStateException | AssertionError e) {
            show(entry, "frames: " + firstLine(e));
            report.failed(entry, file, "frames: " + firstLine(e));
        }
    }

    private void compareSymbols(CorpusEntry entry, CorpusFile file) {
        try {
            SecondOpinion.Result places = SymbolPlaces.compared(file.path());
            if (places.compared() > 0) {
                show(entry, places);
            }
            String sections = RequiredTool.require("readelf").output("-SW", file.path());
            if (sections.contains(".gopclntab") && sections.contains(" .symtab ")) {
                show(entry, GoNames.comparedWithSymtab(file.path()));
            } else if (sections.contains(".gopclntab")) {
                Path folder = Compiled.defaultFolder().resolve("gosym");
                GoCompiler compiler = GoCompiler.unpacked("trixie", "1.24", folder);
                show(entry, GoNames.comparedWithGosym(file.path(), GoNames.gosym(compiler, folder)));
            }
        } catch (TestAbortedException e) {
            report.missing(entry.name() + ", symbols", firstLine(e));
        } catch (ExtractionException | IOException | IllegalStateException | AssertionError e) {
            show(entry, "symbols: " + firstLine(e));
            report.failed(entry, file, "symbols: " + firstLine(e));
        }
    }

    private void compareFurther(CorpusEntry entry, CorpusFile file) {
        try {
            further.compare(file).forEach(result -> show(entry, result));
        } catch (TestAbortedException e) {
            report.missing(entry.name() + ", answers", firstLine(e));
        } catch (ExtractionException | IOException | IllegalStateException | AssertionError e) {
            show(entry, "answers: " + firstLine(e));
            report.failed(entry, file, "answers: " + firstLine(e));
        }
    }

    /** BTF is made of DWARF, and has to say the same as it. */
    private void compareWithDwarf(CorpusEntry entry, CorpusFile file, Map<String, String> btf)
            throws IOException, ExtractionException {
        NamedLayouts dwarf = new NamedLayouts();
        try (DebugInfo info = DebugInfo.open(file.dumped(), OPTIONS)) {
            info.forEachDefinition(definition -> dwarf.add(definition, ReadDefinition.comparable(definition)));
        }
        show(entry, SecondOpinion.compare("DWARF", btf, dwarf.unambiguous(), String::equals));
    }

    private void askByName(CorpusEntry entry, CorpusFile file, Map<String, String> layouts) throws IOException {
        if (layouts.isEmpty()) {
            return;
        }
        for (SecondOpinion tool : SecondOpinion.values()) {
            if (!tool.canRead(file)) {
                continue;
            }
            progress(entry.name() + ": " + tool + ", " + layouts.size() + " types by name");
            try {
                show(entry, tool.compare(file.path(), layouts));
            } catch (TestAbortedException e) {
                report.missing(entry.name() + ", " + tool, firstLine(e));
            }
        }
    }

    private void show(CorpusEntry entry, SecondOpinion.Result result) {
        report.byName(entry, result);
        result.differences().stream().limit(SHOWN).forEach(difference -> show(entry, difference));
    }

    /** Where a person looks on, on one line. */
    private void progress(String text) {
        if (Boolean.getBoolean("offsetd.progress")) {
            System.err.print("\r\033[K" + text);
        }
    }

    private void show(CorpusEntry entry, String difference) {
        progress("");
        out.println(entry.name());
        out.println(difference.length() > SHOWN_LENGTH ? difference.substring(0, SHOWN_LENGTH) + "..." : difference);
    }

    private static String firstLine(Throwable problem) {
        return String.valueOf(problem.getMessage()).lines().findFirst().orElse("");
    }
}
