/**
 * Bytes of a section, with a cursor that checks every access and says where it failed, and ranges of addresses. It knows no
 * file format.
 */
@NullMarked
package dev.offsetd.extractor.bytes;

import org.jspecify.annotations.NullMarked;
