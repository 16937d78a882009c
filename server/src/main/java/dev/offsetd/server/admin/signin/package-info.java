/**
 * The pages on which people sign in and out and look after their own account. It must not know how passwords are kept.
 */
@NullMarked
package dev.offsetd.server.admin.signin;

import org.jspecify.annotations.NullMarked;
