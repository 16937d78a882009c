/** Identities of builds: what builds are called, the search for builds by identity, and the modules of Go programs. */
@NullMarked
package dev.offsetd.server.builds.identity;

import org.jspecify.annotations.NullMarked;
