/**
 * The page that has a list of builds fetched now. It must not know where builds come from, and keeps nothing itself.
 */
@NullMarked
package dev.offsetd.server.admin.prewarms;

import org.jspecify.annotations.NullMarked;
