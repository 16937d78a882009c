/**
 * Identities of builds: what builds are called, the search for builds by identity, and the modules of Go programs.
 */
@NullMarked
package dev.offsetd.server.identities;

import org.jspecify.annotations.NullMarked;
