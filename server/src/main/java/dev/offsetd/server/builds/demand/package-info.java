/**
 * Counts unmet demand: builds that clients request and no source has. It must not know how a build is extracted, nor
 * who requests it.
 */
@NullMarked
package dev.offsetd.server.builds.demand;

import org.jspecify.annotations.NullMarked;
