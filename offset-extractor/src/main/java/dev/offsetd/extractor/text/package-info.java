/**
 * Answers as C: structs as a compiler lays them out, with holes and cache lines in comments, and headers of constants. It
 * takes the answers of {@link dev.offsetd.extractor.item} and knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.extractor.text;

import org.jspecify.annotations.NullMarked;
