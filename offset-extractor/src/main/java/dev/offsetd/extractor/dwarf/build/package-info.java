/**
 * The last phase of reading types: builds the shapes of merged definitions and of everything that they hold by value,
 * and resolves declarations.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.build;

import org.jspecify.annotations.NullMarked;
