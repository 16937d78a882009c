/**
 * the soak test: three servers, their database and their upstreams as processes of their own, under mixed load, while one after
 * the other is killed. {@code ./offsetd soak} starts it. It must not know how the server works, only what its contract says.
 */
@NullMarked
package dev.offsetd.server.soak;

import org.jspecify.annotations.NullMarked;
