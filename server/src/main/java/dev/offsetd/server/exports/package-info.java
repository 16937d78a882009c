/**
 * Types of builds in other tools' formats: rendered once into files of the data folder, and served under URLs whose bytes never
 * change; and checks whether their consumers work with builds. It must not know how a format is rendered, nor where debug files come from.
 */
@NullMarked
package dev.offsetd.server.exports;

import org.jspecify.annotations.NullMarked;
