/**
 * Gets the types of a build stored: asks the sources in turn, reads the first file that can serve, and writes down what
 * came of it; once per build in the whole cluster, however many ask. It must not know what is asked about a build, nor
 * HTTP.
 */
@NullMarked
package dev.offsetd.server.extraction;

import org.jspecify.annotations.NullMarked;
