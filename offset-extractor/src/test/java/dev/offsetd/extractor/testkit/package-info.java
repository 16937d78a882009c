/**
 * Test utilities shared by all modules: writers of DWARF and ELF, wrappers of other tools that read debug information,
 * and debug files of Debian packages. The package does not depend on the reader under test.
 */
@NullMarked
package dev.offsetd.extractor.testkit;

import org.jspecify.annotations.NullMarked;
