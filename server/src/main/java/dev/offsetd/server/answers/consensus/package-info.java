/**
 * Answers for builds without debug information, on which comparable builds agree. It must not know how answers are cached.
 */
@NullMarked
package dev.offsetd.server.answers.consensus;

import org.jspecify.annotations.NullMarked;
