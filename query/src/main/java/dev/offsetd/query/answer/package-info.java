/**
 * Representations of answers: JSON and CBOR through a generator, structs as C with holes and cache lines in comments,
 * headers of constants, and plain text. Knows neither files nor HTTP.
 */
@NullMarked
package dev.offsetd.query.answer;

import org.jspecify.annotations.NullMarked;
