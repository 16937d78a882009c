/**
 * Input of the benchmarks, and a measurement of stored catalogues. It knows of the extractor only what other modules may.
 */
@NullMarked
package dev.offsetd.extractor.bench;

import org.jspecify.annotations.NullMarked;
