package dev.offsetd.extractor.corpus;

import java.io.IOException;
import java.util.List;

/**
 * One part of the corpus.
 *
 * @param name what the command line calls it
 * @param what it stands for, in a few words
 * @param source fetches or builds its files
 */
record CorpusEntry(String name, String what, Source source) {

    /** Where the files of an entry come from. */
    @FunctionalInterface
    interface Source {
        List<CorpusFile> files() throws IOException;
    }
}
