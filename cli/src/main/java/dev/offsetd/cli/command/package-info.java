/**
 * Base class of the commands, and arguments that several of them have. It knows no command, no file and no server.
 */
@NullMarked
package dev.offsetd.cli.command;

import org.jspecify.annotations.NullMarked;
