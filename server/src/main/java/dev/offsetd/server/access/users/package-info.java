/**
 * Users of the admin pages: accounts, passwords and sign-in. It must not depend on the pages.
 */
@NullMarked
package dev.offsetd.server.access.users;

import org.jspecify.annotations.NullMarked;
