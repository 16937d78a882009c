/**
 * Takes debug files that callers upload: receives them, makes sure what they are, and decides by the order of trust whether
 * a build is answered from them. It must not know what is asked about a build.
 */
@NullMarked
package dev.offsetd.server.uploads;

import org.jspecify.annotations.NullMarked;
