/**
 * The pages of prewarm batches. It must not know where builds come from, nor how they are extracted.
 */
@NullMarked
package dev.offsetd.server.admin.prewarms;

import org.jspecify.annotations.NullMarked;
