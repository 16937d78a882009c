/**
 * Records about builds: build-ids and their aliases, loaded programs, and versions of the parts that are stored. A leaf.
 */
@NullMarked
package dev.offsetd.extractor.builds;

import org.jspecify.annotations.NullMarked;
