/**
 * Pins, which override answers of one build, and how they change its types. Does not know who made a pin, when, or where
 * it is stored.
 */
@NullMarked
package dev.offsetd.query.overlay;

import org.jspecify.annotations.NullMarked;
