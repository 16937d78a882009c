/**
 * What the extractor accepts: its limits, and the three ways in which it refuses. A leaf, because the lowest reader
 * checks limits and throws; it knows no file format.
 */
@NullMarked
package dev.offsetd.extractor.input;

import org.jspecify.annotations.NullMarked;
