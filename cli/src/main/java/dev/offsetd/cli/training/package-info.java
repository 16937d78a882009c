/**
 * The training run for the AOT cache. It calls commands by their command lines only, and reads no file but its own.
 */
@NullMarked
package dev.offsetd.cli.training;

import org.jspecify.annotations.NullMarked;
