/**
 * Pins, which override answers of one build: its types with the pins applied, and the provenance of pinned values. Does
 * not know who made a pin, when, or where it is stored.
 */
@NullMarked
package dev.offsetd.query.overlay;

import org.jspecify.annotations.NullMarked;
