/**
 * Has a build tried again before its time: forgets what the sources said and begins anew. It must not know what the sources
 * are, nor what is asked about a build.
 */
@NullMarked
package dev.offsetd.server.retries;

import org.jspecify.annotations.NullMarked;
