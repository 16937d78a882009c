/**
 * Symbols, program headers and thread-local storage as records. It uses no other package.
 */
@NullMarked
package dev.offsetd.extractor.symbols;

import org.jspecify.annotations.NullMarked;
