/**
 * Limits of the extractor, deadline and memory of a reading, and the exceptions for files that it cannot read. A leaf, because
 * the lowest reader checks limits and throws; it knows no file format.
 */
@NullMarked
package dev.offsetd.extractor.input;

import org.jspecify.annotations.NullMarked;
