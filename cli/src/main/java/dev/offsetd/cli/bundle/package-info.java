/** {@code bundle} and {@code query --bundle}: builds for hosts without a network. Only creating and importing call a server. */
@NullMarked
package dev.offsetd.cli.bundle;

import org.jspecify.annotations.NullMarked;
