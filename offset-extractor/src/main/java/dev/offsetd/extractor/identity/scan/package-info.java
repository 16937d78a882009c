/**
 * Identity of a build, from named sections and from attributes of compilation units. Knows neither ELF nor DWARF: the
 * entry point hands over sections and attributes. Parts that are malformed are left out, because no layout depends on them.
 */
@NullMarked
package dev.offsetd.extractor.identity.scan;

import org.jspecify.annotations.NullMarked;
