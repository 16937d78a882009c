/**
 * Commands that answer from a local file: its build-id, types, layouts, symbols, and exports. It knows no server and no HTTP.
 */
@NullMarked
package dev.offsetd.cli.file;

import org.jspecify.annotations.NullMarked;
