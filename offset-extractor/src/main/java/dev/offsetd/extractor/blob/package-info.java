/**
 * Blobs of compressed blocks with a directory, read a block at a time: the form that catalogues and symbols are stored
 * in. It knows nothing of what the blocks hold.
 */
@NullMarked
package dev.offsetd.extractor.blob;

import org.jspecify.annotations.NullMarked;
