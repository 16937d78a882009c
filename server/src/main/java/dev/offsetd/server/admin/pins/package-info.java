/**
 * The pages of pins: the list, one pin with its history, the form to make or change one, and copying those of a build. It
 * must not know how pins change answers.
 */
@NullMarked
package dev.offsetd.server.admin.pins;

import org.jspecify.annotations.NullMarked;
