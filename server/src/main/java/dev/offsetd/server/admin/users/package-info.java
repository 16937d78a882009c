/**
 * The page on which admins look after users. It must not know how anybody signs in.
 */
@NullMarked
package dev.offsetd.server.admin.users;

import org.jspecify.annotations.NullMarked;
