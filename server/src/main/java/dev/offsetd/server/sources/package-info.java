/**
 * Fetches the debug file of a build from local folders and upstream debuginfods, verifies it, and keeps it in a
 * bounded disk cache. It must not know the database, HTTP requests to the server, nor when a build is due for another
 * attempt.
 */
@NullMarked
package dev.offsetd.server.sources;

import org.jspecify.annotations.NullMarked;
