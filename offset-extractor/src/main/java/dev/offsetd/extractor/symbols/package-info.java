/**
 * Symbols and program headers as records. Knows architectures only.
 */
@NullMarked
package dev.offsetd.extractor.symbols;

import org.jspecify.annotations.NullMarked;
