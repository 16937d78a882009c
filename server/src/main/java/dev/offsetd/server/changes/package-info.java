/**
 * Tells every server which builds answer otherwise than before, within a second. It must not know what builds answer, nor
 * who keeps answers.
 */
@NullMarked
package dev.offsetd.server.changes;

import org.jspecify.annotations.NullMarked;
