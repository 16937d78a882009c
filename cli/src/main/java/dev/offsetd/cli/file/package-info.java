/**
 * Commands that answer from a file on this machine: its build-id, its types, and the layouts in it. It knows no server
 * and no HTTP.
 */
@NullMarked
package dev.offsetd.cli.file;

import org.jspecify.annotations.NullMarked;
