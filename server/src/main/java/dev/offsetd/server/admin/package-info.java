/**
 * The admin pages; those with several classes are packages below. It must not duplicate decisions of the features below it:
 * pages show their state and call them to change it.
 */
@NullMarked
package dev.offsetd.server.admin;

import org.jspecify.annotations.NullMarked;
