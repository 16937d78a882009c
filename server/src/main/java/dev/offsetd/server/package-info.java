/** The server as a program: the one place that starts it. It must not know how any request is answered. */
@NullMarked
package dev.offsetd.server;

import org.jspecify.annotations.NullMarked;
