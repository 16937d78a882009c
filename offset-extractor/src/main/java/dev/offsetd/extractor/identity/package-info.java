/**
 * Names of a build as records: what it is called, by which source, and what to look for in a program. {@code
 * identity.scan} reads them.
 */
@NullMarked
package dev.offsetd.extractor.identity;

import org.jspecify.annotations.NullMarked;
