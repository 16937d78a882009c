/**
 * Queries about addresses: symbols by name or address, functions and lines, and the member at a byte of a variable. It must
 * not know where debug files come from, nor how layouts are answered.
 */
@NullMarked
package dev.offsetd.server.answers.symbols;

import org.jspecify.annotations.NullMarked;
