/**
 * What is known of each build: whether its types are stored, what the sources said, when to try again, and who works on
 * it. It must not know how debug files are fetched or read.
 */
@NullMarked
package dev.offsetd.server.builds;

import org.jspecify.annotations.NullMarked;
