/**
 * Access of callers: tokens, users and sessions, the routes, rate limits, and the log of changes. It must not depend on what the routes serve.
 */
@NullMarked
package dev.offsetd.server.access;

import org.jspecify.annotations.NullMarked;
