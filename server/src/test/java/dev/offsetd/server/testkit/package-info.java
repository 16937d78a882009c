/** Fixtures of the integration tests: a server with a new database, upstreams, small builds, and the contract. */
@NullMarked
package dev.offsetd.server.testkit;

import org.jspecify.annotations.NullMarked;
