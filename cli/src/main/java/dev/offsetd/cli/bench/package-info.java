/**
 * Measures the extractor on a file of the user's, inside one warm process. It knows no server, and asserts nothing: it
 * prints what it saw.
 */
@NullMarked
package dev.offsetd.cli.bench;

import org.jspecify.annotations.NullMarked;
