/**
 * Text representations of answers: structs as C with holes and cache lines in comments, and headers of constants. Renders
 * the answers of {@link dev.offsetd.query.item}; knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.query.answer;

import org.jspecify.annotations.NullMarked;
