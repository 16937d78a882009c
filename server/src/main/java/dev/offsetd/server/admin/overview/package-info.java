/**
 * The first page: what is there, what happens, and what is in trouble. It must not know how any of it is counted.
 */
@NullMarked
package dev.offsetd.server.admin.overview;

import org.jspecify.annotations.NullMarked;
