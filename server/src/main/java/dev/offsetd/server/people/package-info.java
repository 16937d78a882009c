/**
 * The people who use the pages: who they are, how they sign in, and what becomes of them. It must not know what the pages
 * show.
 */
@NullMarked
package dev.offsetd.server.people;

import org.jspecify.annotations.NullMarked;
