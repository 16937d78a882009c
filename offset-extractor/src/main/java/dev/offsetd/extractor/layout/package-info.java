/**
 * The answer as records: architectures, types, variables and members. A leaf: it knows neither ELF nor DWARF, and
 * nothing of queries.
 */
@NullMarked
package dev.offsetd.extractor.layout;

import org.jspecify.annotations.NullMarked;
