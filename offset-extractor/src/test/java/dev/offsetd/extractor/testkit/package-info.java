/**
 * What tests of every module build on: DWARF and ELF written from a description, other people's tools and what they say
 * about a file, real debug files out of Debian's packages. It knows nothing of the reader under test.
 */
@NullMarked
package dev.offsetd.extractor.testkit;

import org.jspecify.annotations.NullMarked;
