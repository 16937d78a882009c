/** Work of the server that is done again and again, whatever becomes of it. It must not know what the work is. */
@NullMarked
package dev.offsetd.server.timers;

import org.jspecify.annotations.NullMarked;
