/**
 * The page on which administrators manage users. It must not know how users sign in.
 */
@NullMarked
package dev.offsetd.server.admin.users;

import org.jspecify.annotations.NullMarked;
