/** The page of watches. It must not know how places are read. */
@NullMarked
package dev.offsetd.server.admin.watches;

import org.jspecify.annotations.NullMarked;
