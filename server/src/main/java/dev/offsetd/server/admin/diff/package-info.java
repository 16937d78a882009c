/**
 * The page of layout changes between two builds. It must not know how layouts are compared.
 */
@NullMarked
package dev.offsetd.server.admin.diff;

import org.jspecify.annotations.NullMarked;
