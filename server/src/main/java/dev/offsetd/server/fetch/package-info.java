/**
 * Gets the debug file of a build: from local folders and from upstream debuginfods, verified, and kept in a bounded disk
 * cache; and knows which upstreams work. Knows nothing of the rest of the server: neither the database nor HTTP requests
 * to us, nor when a build is worth another try.
 */
@NullMarked
package dev.offsetd.server.fetch;

import org.jspecify.annotations.NullMarked;
