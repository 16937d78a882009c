/** The command line: syntax, and which command answers it. It knows no ELF, no DWARF and no server code. */
@NullMarked
package dev.offsetd.cli;

import org.jspecify.annotations.NullMarked;
