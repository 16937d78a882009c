/** Functions and lines at addresses, and in stacks of other tools, from files or from a server. */
@NullMarked
package dev.offsetd.cli.symbolize;

import org.jspecify.annotations.NullMarked;
