/**
 * HTTP client that treats every response as hostile: bounded headers, permitted addresses, redirects by hand, deadlines.
 * It must not know builds, files nor what a response is used for.
 */
@NullMarked
package dev.offsetd.server.sources.http;

import org.jspecify.annotations.NullMarked;
