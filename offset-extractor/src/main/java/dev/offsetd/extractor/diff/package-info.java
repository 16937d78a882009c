/**
 * What changed between the layouts of two builds: types, members and enumerators added, removed, moved, resized and
 * retyped. It asks {@link dev.offsetd.extractor.item} which type a name means, works on any two
 * {@link dev.offsetd.extractor.layout.TypeIndex}, and knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.extractor.diff;

import org.jspecify.annotations.NullMarked;
