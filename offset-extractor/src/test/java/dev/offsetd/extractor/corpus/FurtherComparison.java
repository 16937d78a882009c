package dev.offsetd.extractor.corpus;

import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.util.List;

/** A comparison of files of the corpus with something that modules above the reader make of them. */
@FunctionalInterface
public interface FurtherComparison {

    /** Returns what was compared, by tool. */
    List<SecondOpinion.Result> compare(CorpusFile file) throws IOException, ExtractionException;
}
