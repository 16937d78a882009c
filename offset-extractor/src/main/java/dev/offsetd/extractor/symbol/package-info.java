/**
 * Symbols as records, and the questions about them: by name, by pattern, by address. A leaf: it knows neither ELF files
 * nor types, and nothing of how a question was asked.
 */
@NullMarked
package dev.offsetd.extractor.symbol;

import org.jspecify.annotations.NullMarked;
