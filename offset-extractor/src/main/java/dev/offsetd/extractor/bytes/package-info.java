/**
 * Bytes of a section and a cursor over them. It checks every access and says where it failed; it knows no file format.
 */
@NullMarked
package dev.offsetd.extractor.bytes;

import org.jspecify.annotations.NullMarked;
