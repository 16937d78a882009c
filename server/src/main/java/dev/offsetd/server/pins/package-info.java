/**
 * What administrators say of builds in place of their debug information: kept with its history, and held against what
 * extraction finds. It must not know how questions are answered with it.
 */
@NullMarked
package dev.offsetd.server.pins;

import org.jspecify.annotations.NullMarked;
