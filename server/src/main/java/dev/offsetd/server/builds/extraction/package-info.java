/**
 * Extracts the types of a build: queries the sources in order, reads the first usable file and stores the result, once
 * per build in the whole cluster. It must not know which queries are made about a build, nor HTTP.
 */
@NullMarked
package dev.offsetd.server.builds.extraction;

import org.jspecify.annotations.NullMarked;
