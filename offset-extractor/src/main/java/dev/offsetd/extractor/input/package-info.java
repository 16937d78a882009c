/**
 * Limits of the extractor, and the three exceptions for files that it cannot read. A leaf, because the lowest reader
 * checks limits and throws; it knows no file format.
 */
@NullMarked
package dev.offsetd.extractor.input;

import org.jspecify.annotations.NullMarked;
