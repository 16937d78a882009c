/** Reads the indexes of apt archives, OCI registries and RPM repositories, and the ELF files of what they publish. */
@NullMarked
package dev.offsetd.packages.repositories;

import org.jspecify.annotations.NullMarked;
