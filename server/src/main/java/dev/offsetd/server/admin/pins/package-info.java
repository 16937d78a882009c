/**
 * The pages of pins: the list, one pin with its history, the edit form, and copying the pins of a build. It must not
 * know how pins change answers.
 */
@NullMarked
package dev.offsetd.server.admin.pins;

import org.jspecify.annotations.NullMarked;
