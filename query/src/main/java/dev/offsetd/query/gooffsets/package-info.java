/**
 * Offsets of members of Go structs by the version of their module, over many programs, in the formats of the agents that ship
 * such tables. {@link dev.offsetd.query.gooffsets.OffsetsByVersion} collects what programs state, and leaves out what they
 * contradict each other in. Knows neither builds nor HTTP.
 */
@NullMarked
package dev.offsetd.query.gooffsets;

import org.jspecify.annotations.NullMarked;
