/**
 * Every named type of a build: in memory as it was extracted, and as the compressed blob with a name index that is
 * stored for good. It knows no debug format and no database.
 */
@NullMarked
package dev.offsetd.extractor.catalogue;

import org.jspecify.annotations.NullMarked;
