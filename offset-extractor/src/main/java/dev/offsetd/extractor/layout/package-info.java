/**
 * The answer as records: builds, architectures, types and their members. A leaf: it knows neither ELF nor DWARF, and
 * nothing of queries.
 */
@NullMarked
package dev.offsetd.extractor.layout;

import org.jspecify.annotations.NullMarked;
