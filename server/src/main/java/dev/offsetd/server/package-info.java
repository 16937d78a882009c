/** The server as a program: the entry point. It must not know how any request is answered. */
@NullMarked
package dev.offsetd.server;

import org.jspecify.annotations.NullMarked;
