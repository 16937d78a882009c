/**
 * What all pages have in common: their frame, their files, their colours, and the page of an error. It must not know any
 * single page but by its path.
 */
@NullMarked
package dev.offsetd.server.admin.shell;

import org.jspecify.annotations.NullMarked;
