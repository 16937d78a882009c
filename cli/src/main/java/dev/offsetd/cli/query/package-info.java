/**
 * {@code query}: answers of a server, or of a bundle.
 */
@NullMarked
package dev.offsetd.cli.query;

import org.jspecify.annotations.NullMarked;
