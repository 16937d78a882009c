/** Checks of consumers of layouts, against files or against a server. */
@NullMarked
package dev.offsetd.cli.check;

import org.jspecify.annotations.NullMarked;
