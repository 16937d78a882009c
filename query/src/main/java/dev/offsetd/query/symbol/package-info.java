/**
 * Symbol tables of a build, stored, and look-ups in them by name, pattern and address. Knows no ELF and no types.
 */
@NullMarked
package dev.offsetd.query.symbol;

import org.jspecify.annotations.NullMarked;
