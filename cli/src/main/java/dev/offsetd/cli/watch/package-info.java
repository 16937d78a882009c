/** {@code watch}: repositories that are looked at for new builds. */
@NullMarked
package dev.offsetd.cli.watch;

import org.jspecify.annotations.NullMarked;
