/** Log of what a reading leaves out: each damaged or unsupported part once, by its address. */
@NullMarked
package dev.offsetd.extractor.omission;

import org.jspecify.annotations.NullMarked;
