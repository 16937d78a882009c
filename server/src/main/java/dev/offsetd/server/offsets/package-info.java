/**
 * The main job: reads questions about a build, waits for the build to be stored, and answers from what is stored. It
 * must not know where debug files come from.
 */
@NullMarked
package dev.offsetd.server.offsets;

import org.jspecify.annotations.NullMarked;
