/**
 * Debuginfod's web API: debug files, executables, sections and source files of builds, for debuggers. It must not know what is
 * extracted from them.
 */
@NullMarked
package dev.offsetd.server.debuginfod;

import org.jspecify.annotations.NullMarked;
