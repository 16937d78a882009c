/**
 * What every question about a build begins with: its query string is read, the build is waited for, what is stored of it is
 * opened, and what is wrong with it is told. It must not know what is asked, nor where debug files come from.
 */
@NullMarked
package dev.offsetd.server.asking;

import org.jspecify.annotations.NullMarked;
