/**
 * Client of a server's HTTP API. It reads no debug file, and knows the server by its API only.
 */
@NullMarked
package dev.offsetd.cli.remote;

import org.jspecify.annotations.NullMarked;
