package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.corpus.CorpusReport.Row;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** One run over entries of the corpus: compares, prints, and keeps what the report needs. */
final class CorpusRun {

    private static final int SHOWN = 3;
    private static final int SHOWN_LENGTH = 2_000;

    /** Above this many bytes pahole needs more memory than the machines that this runs on have. */
    private static final long MOST_FOR_PAHOLE = 100_000_000;

    private static final OffsetExtractor EXTRACTOR = new OffsetExtractor(Limits.DEFAULT, 1).followingAnyPath();

    private final PrintStream out;
    private final CorpusReport report;
    private final boolean asksByName;

    /** @param asksByName whether the tools of {@link SecondOpinion} are asked too */
    CorpusRun(PrintStream out, CorpusReport report, boolean asksByName) {
        this.out = out;
        this.report = report;
        this.asksByName = asksByName;
    }

    /** Fetches or builds the files of an entry and compares them. */
    void run(CorpusEntry entry) {
        List<CorpusFile> files;
        try {
            files = entry.source().files();
        } catch (IOException | TestAbortedException | AssertionError e) {
            String reason = firstLine(e);
            out.printf("%-16s not to be had: %s%n", entry.name(), reason);
            report.missing(entry, reason);
            return;
        }
        for (CorpusFile file : files) {
            boolean named = asksByName && file.oracles().contains(Oracle.READELF);
            for (Oracle oracle : file.oracles()) {
                compare(entry, file, oracle, named && oracle == file.oracles().getFirst());
            }
        }
    }

    private void compare(CorpusEntry entry, CorpusFile file, Oracle oracle, boolean named) {
        long start = System.nanoTime();
        try {
            NamedLayouts layouts = new NamedLayouts();
            Iterator<ExpectedDefinition> theirs = oracle.definitions(file);
            Comparison comparison = new Comparison(theirs);
            EXTRACTOR.forEachDefinition(file.path(), definition -> {
                ExpectedDefinition comparable = ReadDefinition.comparable(definition);
                comparison.add(comparable);
                if (named) {
                    layouts.add(definition, comparable);
                }
            });
            Comparison.Result result = comparison.finish();
            if (result.definitions() > 0) {
                add(new Row(entry, file, oracle.toString(), result, Files.size(file.path()), seconds(start)));
                result.unexplained().stream().limit(SHOWN).forEach(difference -> show(difference.toString()));
            }
            if (named) {
                askByName(entry, file, layouts.unambiguous());
            }
        } catch (ExtractionException | IOException | IllegalStateException | AssertionError e) {
            out.printf("%-16s %s: %s%n", entry.name(), oracle, firstLine(e));
            report.failed(entry, file, oracle + ": " + firstLine(e));
        }
    }

    private void askByName(CorpusEntry entry, CorpusFile file, Map<String, String> layouts) throws IOException {
        if (layouts.isEmpty()) {
            return;
        }
        for (SecondOpinion tool : SecondOpinion.values()) {
            if (tool == SecondOpinion.PAHOLE && Files.size(file.path()) > MOST_FOR_PAHOLE) {
                continue;
            }
            long start = System.nanoTime();
            SecondOpinion.Result result = tool.compare(file.path(), layouts);
            report.byName(entry, file, result);
            out.printf(
                    "%-16s %-14s %8d types by name, %d differ, %.0f s%n",
                    entry.name(), tool, result.compared(), result.differences().size(), seconds(start));
            result.differences().stream().limit(SHOWN).forEach(this::show);
        }
    }

    private void add(Row row) {
        report.add(row);
        out.printf(
                "%-16s %-14s %8d definitions, %9d members, %d explained, %d unexplained, %.0f s%n",
                row.entry().name(),
                row.tool(),
                row.result().definitions(),
                row.result().parts(),
                row.result().explainedCount(),
                row.result().unexplainedCount(),
                row.seconds());
    }

    private void show(String difference) {
        out.println(difference.length() > SHOWN_LENGTH ? difference.substring(0, SHOWN_LENGTH) + "..." : difference);
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private static String firstLine(Throwable problem) {
        return String.valueOf(problem.getMessage()).lines().findFirst().orElse("");
    }
}
