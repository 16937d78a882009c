/**
 * Layout changes between two builds: types, members and enumerators added, removed, moved, resized and retyped. Asks
 * {@link dev.offsetd.query.item} which type a name means, and works on any
 * {@link dev.offsetd.extractor.layout.TypeIndex}; knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.query.diff;

import org.jspecify.annotations.NullMarked;
