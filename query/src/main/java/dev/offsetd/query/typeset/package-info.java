/**
 * Type sets: named, versioned lists of items for one runtime, and their coverage by a build. Knows neither builds nor where
 * sets are stored.
 */
@NullMarked
package dev.offsetd.query.typeset;

import org.jspecify.annotations.NullMarked;
