/**
 * Start of the server and of commands on its database: options, checks of the port and the data folder, and the
 * message when the server is ready. It must not know how any request is answered.
 */
@NullMarked
package dev.offsetd.server.startup;

import org.jspecify.annotations.NullMarked;
