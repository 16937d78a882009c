/**
 * Help, error messages and documents made from the models of the commands. It knows no command.
 */
@NullMarked
package dev.offsetd.cli.help;

import org.jspecify.annotations.NullMarked;
