/**
 * Functions and lines by address as records.
 */
@NullMarked
package dev.offsetd.extractor.frames;

import org.jspecify.annotations.NullMarked;
