/**
 * How C spells types without a name to declare. It knows no debug format and no layout; the readers put the parts together.
 */
@NullMarked
package dev.offsetd.extractor.spelling;

import org.jspecify.annotations.NullMarked;
