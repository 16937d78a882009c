/** What tests of the whole server share: a server over a database of its own, upstreams, small builds, the contract. */
@NullMarked
package dev.offsetd.server.testkit;

import org.jspecify.annotations.NullMarked;
