/**
 * Commands that ask a server over its HTTP API. It reads no debug file and knows nothing of the server but the API.
 */
@NullMarked
package dev.offsetd.cli.remote;

import org.jspecify.annotations.NullMarked;
