/**
 * Pins: administrators' overrides of items, with their history, checked against what extraction finds. It must not
 * know the queries that apply them.
 */
@NullMarked
package dev.offsetd.server.pins;

import org.jspecify.annotations.NullMarked;
