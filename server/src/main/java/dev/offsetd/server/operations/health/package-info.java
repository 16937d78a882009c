/** Health checks, version information, and the end of a process that cannot continue. It must not know the server's answers. */
@NullMarked
package dev.offsetd.server.operations.health;

import org.jspecify.annotations.NullMarked;
