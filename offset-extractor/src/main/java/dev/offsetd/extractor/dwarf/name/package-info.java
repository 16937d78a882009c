/**
 * Qualified names, and types as C and C++ spell them.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.name;

import org.jspecify.annotations.NullMarked;
