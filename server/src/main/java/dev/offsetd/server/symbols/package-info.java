/**
 * Questions about addresses: which symbols have a name or hold an address, and what lies at a byte of a variable. It must
 * not know where debug files come from, nor how layouts are answered.
 */
@NullMarked
package dev.offsetd.server.symbols;

import org.jspecify.annotations.NullMarked;
