/** The server's periodic work. It must not know what the work is. */
@NullMarked
package dev.offsetd.server.operations.timers;

import org.jspecify.annotations.NullMarked;
