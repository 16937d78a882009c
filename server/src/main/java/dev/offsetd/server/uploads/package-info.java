/**
 * Receives and verifies uploaded debug files and bundles, and decides by the order of trust whether an upload answers for its
 * build. It must not know the queries about a build.
 */
@NullMarked
package dev.offsetd.server.uploads;

import org.jspecify.annotations.NullMarked;
