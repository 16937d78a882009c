package dev.offsetd.extractor.frames;

import org.jspecify.annotations.Nullable;

/**
 * One function at an address, with the line of its source that the address belongs to, or that the next inner frame is
 * inlined at.
 *
 * @param function its name with the scopes around it; null if the file does not name it
 * @param linkageName the name that linkers see, if the file states another
 * @param file path, joined with the folder of the compilation; null if the file does not state it
 * @param line from 1; 0 if the code belongs to no line
 * @param column from 1; 0 if unknown
 * @param discriminator tells blocks of one line apart; 0 if there is none
 * @param inlined whether the function is inlined into that of the next frame
 */
public record Frame(
        @Nullable String function,
        @Nullable String linkageName,
        @Nullable String file,
        int line,
        int column,
        int discriminator,
        boolean inlined) {}
