/**
 * Commands that answer from a local file: its build-id, types, symbols and layouts. It knows no server and no HTTP.
 */
@NullMarked
package dev.offsetd.cli.file;

import org.jspecify.annotations.NullMarked;
