/**
 * Steps that every query about a build shares: parses the query string, waits for the build, opens its stored types,
 * and turns failures into problems. It must not know what is queried, nor where debug files come from.
 */
@NullMarked
package dev.offsetd.server.query;

import org.jspecify.annotations.NullMarked;
