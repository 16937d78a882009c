/**
 * What lies at a byte of a variable or of a type: the chain of members from the outermost to the leaf. It asks
 * {@link dev.offsetd.extractor.item} which type a name means, works on any
 * {@link dev.offsetd.extractor.layout.TypeIndex}, and knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.extractor.resolve;

import org.jspecify.annotations.NullMarked;
