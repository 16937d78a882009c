/**
 * Consensus: layouts of a program without debug information, as other builds of the same runtime have them. Selects the
 * builds that may speak for a program, and compares what they say. Knows neither storage nor HTTP.
 */
@NullMarked
package dev.offsetd.query.consensus;

import org.jspecify.annotations.NullMarked;
