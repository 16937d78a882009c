/**
 * The corpus: real packages and compiled files, every definition of which is compared with what other people's tools read at the
 * same DIE. It knows nothing of how the reader under test reads, only what it hands out.
 */
@NullMarked
package dev.offsetd.extractor.corpus;

import org.jspecify.annotations.NullMarked;
