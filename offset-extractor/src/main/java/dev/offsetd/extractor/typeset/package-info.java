/**
 * Type sets: what one runtime's tools need of a build, as a file that people edit, and how much of it a build has. It must
 * not know builds, files of debug information, or where sets are kept.
 */
@NullMarked
package dev.offsetd.extractor.typeset;

import org.jspecify.annotations.NullMarked;
