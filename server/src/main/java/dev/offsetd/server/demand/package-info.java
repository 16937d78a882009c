/**
 * Counts which builds are asked for that nobody has, so that somebody can upload them. It must not know how a build is
 * looked for, nor who asks.
 */
@NullMarked
package dev.offsetd.server.demand;

import org.jspecify.annotations.NullMarked;
