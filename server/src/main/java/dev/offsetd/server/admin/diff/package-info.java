/**
 * The page that shows what changed in layouts between two builds. It must not know how layouts are compared.
 */
@NullMarked
package dev.offsetd.server.admin.diff;

import org.jspecify.annotations.NullMarked;
