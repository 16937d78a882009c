/**
 * Authentication and authorization of requests. It must not know what is served behind the routes that it guards.
 */
@NullMarked
package dev.offsetd.server.access;

import org.jspecify.annotations.NullMarked;
