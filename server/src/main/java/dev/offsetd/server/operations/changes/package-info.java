/** Notifies every server within a second which builds have new answers. It must not know the answers, nor their caches. */
@NullMarked
package dev.offsetd.server.operations.changes;

import org.jspecify.annotations.NullMarked;
