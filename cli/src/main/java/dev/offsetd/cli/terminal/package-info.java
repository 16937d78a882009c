/**
 * Output, progress and exit codes, shared by all commands. A leaf: it knows no command and no type of the extractor.
 */
@NullMarked
package dev.offsetd.cli.terminal;

import org.jspecify.annotations.NullMarked;
