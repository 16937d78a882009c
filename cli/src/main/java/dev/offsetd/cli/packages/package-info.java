/**
 * Finds builds in files, folders, packages, archives and images. It knows no server, and the extractor reads the ELF files.
 */
@NullMarked
package dev.offsetd.cli.packages;

import org.jspecify.annotations.NullMarked;
