/**
 * Consensus: layouts of a program without debug information, as other builds of the same runtime have them. Selects the
 * peers of a program, and compares their answers. Knows neither storage nor HTTP.
 */
@NullMarked
package dev.offsetd.query.consensus;

import org.jspecify.annotations.NullMarked;
