/**
 * Finds the builds in what a build pipeline has at hand: files, folders, packages, archives and images. It knows no server,
 * and leaves what is in an ELF file to the extractor.
 */
@NullMarked
package dev.offsetd.cli.packages;

import org.jspecify.annotations.NullMarked;
