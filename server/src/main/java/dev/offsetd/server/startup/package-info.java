/**
 * What happens before and after the server comes up: its options, whether its port and its folder are free and who has
 * them if not, and what it prints once it is ready. It must not know how any request is answered.
 */
@NullMarked
package dev.offsetd.server.startup;

import org.jspecify.annotations.NullMarked;
