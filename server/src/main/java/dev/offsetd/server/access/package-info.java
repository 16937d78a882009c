/**
 * Who a request comes from and what it may do. It must not know what is served behind the routes that it guards.
 */
@NullMarked
package dev.offsetd.server.access;

import org.jspecify.annotations.NullMarked;
