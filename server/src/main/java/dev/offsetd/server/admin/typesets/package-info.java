/**
 * The pages of type sets: reading, making and changing them, and what of them builds have. It must not know how items are
 * looked up.
 */
@NullMarked
package dev.offsetd.server.admin.typesets;

import org.jspecify.annotations.NullMarked;
