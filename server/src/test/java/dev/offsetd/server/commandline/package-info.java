/** The command line and the examples for build pipelines against a running server. */
@org.jspecify.annotations.NullMarked
package dev.offsetd.server.commandline;
