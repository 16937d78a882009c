/**
 * What somebody says of a build in place of its debug information, and how that changes its types. It must not know who says
 * it, when, or where it is kept.
 */
@NullMarked
package dev.offsetd.extractor.pin;

import org.jspecify.annotations.NullMarked;
