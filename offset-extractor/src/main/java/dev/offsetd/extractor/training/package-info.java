/** Files for training runs of AOT caches (JEP 514), for programs that embed the reader. */
@NullMarked
package dev.offsetd.extractor.training;

import org.jspecify.annotations.NullMarked;
