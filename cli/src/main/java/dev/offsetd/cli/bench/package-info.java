/**
 * Measures the extractor on a user's file, in one warm process. It knows no server and asserts nothing.
 */
@NullMarked
package dev.offsetd.cli.bench;

import org.jspecify.annotations.NullMarked;
