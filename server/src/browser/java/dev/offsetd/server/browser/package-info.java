/** Tests of the admin pages in a real browser. */
@NullMarked
package dev.offsetd.server.browser;

import org.jspecify.annotations.NullMarked;
