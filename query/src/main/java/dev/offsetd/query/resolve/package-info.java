/**
 * Resolution of a byte in a variable or type: the chain of members from the outermost type to the leaf. Asks
 * {@link dev.offsetd.query.item} which type a name means, and works on any
 * {@link dev.offsetd.extractor.layout.TypeIndex}; knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.query.resolve;

import org.jspecify.annotations.NullMarked;
