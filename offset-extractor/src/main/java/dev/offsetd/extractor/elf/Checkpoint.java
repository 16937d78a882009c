package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.input.LimitExceededException;

/** Check that long reads call periodically to learn whether they may go on. */
@FunctionalInterface
public interface Checkpoint {

    /**
     * Returns if the reader may go on.
     *
     * @param section what is being read, for the message
     */
    void check(String section) throws LimitExceededException;
}
