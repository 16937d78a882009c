/**
 * The pages of builds: the list, one build with its types, and one type with its memory map. It must not know how a
 * pin is made, only where its form is.
 */
@NullMarked
package dev.offsetd.server.admin.builds;

import org.jspecify.annotations.NullMarked;
