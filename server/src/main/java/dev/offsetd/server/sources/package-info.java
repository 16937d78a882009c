/**
 * Fetches the debug file of a build from local folders, S3 folders and upstream debuginfods, verifies it, and keeps it in a
 * bounded disk cache. It must not know the database, nor HTTP requests to the server.
 *
 * <p>{@code Downloader} is one remote source. {@code CachedSource} adds to each what all of them need: the disk cache, one download
 * for all concurrent callers, the limit of requests to a host, the circuit breaker, and the metrics.
 */
@NullMarked
package dev.offsetd.server.sources;

import org.jspecify.annotations.NullMarked;
