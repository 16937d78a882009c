/**
 * The pages for sign-in, sign-out and a user's own account. It must not know how passwords are stored.
 */
@NullMarked
package dev.offsetd.server.admin.signin;

import org.jspecify.annotations.NullMarked;
