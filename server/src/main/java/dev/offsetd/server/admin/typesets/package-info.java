/**
 * The pages of type sets: reading and editing them, and their coverage by builds. It must not know how items are
 * looked up.
 */
@NullMarked
package dev.offsetd.server.admin.typesets;

import org.jspecify.annotations.NullMarked;
