/**
 * Authentication, authorization and rate limits of requests. It must not depend on what the routes serve.
 */
@NullMarked
package dev.offsetd.server.access;

import org.jspecify.annotations.NullMarked;
