package dev.offsetd.query;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.corpus.Corpus;
import dev.offsetd.extractor.corpus.CorpusFile;
import dev.offsetd.extractor.corpus.FurtherComparison;
import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.query.export.ExportedBtf;
import dev.offsetd.query.item.RandomPaths;
import dev.offsetd.query.item.SymbolSearch;
import dev.offsetd.query.resolve.VariableLeaves;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The command {@code ./offsetd corpus} with answers from each file: exported BTF, random paths through pointers, and the
 * variables, in which items and {@code resolve} are each other's inverse.
 */
public final class ComparedAnswers implements FurtherComparison {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2).followingAnyPath();
    private static final int PATHS = 1_000;

    private ComparedAnswers() {}

    public static void main(String... arguments) throws IOException {
        Corpus.run(new ComparedAnswers(), arguments);
    }

    @Override
    public List<SecondOpinion.Result> compare(CorpusFile file) throws IOException, ExtractionException {
        ExtractionReport report = DebugInfo.read(file.path(), OPTIONS, DebugInfo::extractAll);
        List<SecondOpinion.Result> results = new ArrayList<>(ExportedBtf.compare(file, report));
        TypeIndex stored =
                StoredCatalogue.of(CatalogueWriter.encode(report.types())).sharingLayouts();
        // The tools do not find the parts of a file that are in another one.
        if (file.path().equals(file.dumped()) && file.supplementary().isEmpty()) {
            RandomPaths paths = new RandomPaths(report.types(), stored, PATHS);
            results.addAll(paths.compared(file.path(), !Readelf.isMips(file.path())));
        }
        StoredSymbols symbols =
                StoredSymbols.of(SymbolTable.of(DebugInfo.read(file.path(), OPTIONS, DebugInfo::symbolTables)));
        results.add(VariableLeaves.compare(
                stored, new SymbolSearch(symbols, symbols.tls().orElse(null), SearchBudget.unlimited())));
        return results;
    }
}
