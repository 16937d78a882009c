/** Rules about the packages of the library; it holds no tests of their contents. */
@NullMarked
package dev.offsetd.extractor;

import org.jspecify.annotations.NullMarked;
