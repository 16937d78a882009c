/**
 * Finds builds in files, folders, packages, archives and images, and copies their ELF files. The extractor reads the ELF
 * files. It knows neither commands nor servers: its callers show progress and errors.
 */
@NullMarked
package dev.offsetd.packages;

import org.jspecify.annotations.NullMarked;
