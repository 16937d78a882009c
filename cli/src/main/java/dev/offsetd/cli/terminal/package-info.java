/**
 * What every command shares with the terminal and the shell: output, progress, exit codes. A leaf: it knows no command
 * and no type of the extractor.
 */
@NullMarked
package dev.offsetd.cli.terminal;

import org.jspecify.annotations.NullMarked;
