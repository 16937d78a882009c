/**
 * Batches of builds that are extracted before clients request them. It must not know where builds come from, nor how
 * they are extracted: it requests them as a client does.
 */
@NullMarked
package dev.offsetd.server.prewarms;

import org.jspecify.annotations.NullMarked;
