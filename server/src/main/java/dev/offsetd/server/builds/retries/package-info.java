/** Retries a build before its next attempt is due. It must not know the sources, nor the queries about a build. */
@NullMarked
package dev.offsetd.server.builds.retries;

import org.jspecify.annotations.NullMarked;
