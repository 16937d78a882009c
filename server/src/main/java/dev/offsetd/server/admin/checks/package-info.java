/**
 * The page that shows whether a consumer works with builds. It must not know how findings are made.
 */
@NullMarked
package dev.offsetd.server.admin.checks;

import org.jspecify.annotations.NullMarked;
