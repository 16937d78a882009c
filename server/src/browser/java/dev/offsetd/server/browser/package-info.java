/** What people see of the admin pages: tests in a real browser. */
@NullMarked
package dev.offsetd.server.browser;

import org.jspecify.annotations.NullMarked;
