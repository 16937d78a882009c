/**
 * Batches of builds that are fetched and extracted before hosts ask for them. It must not know where builds come from, nor how
 * they are extracted: it asks for them as a host does, only later and more patiently.
 */
@NullMarked
package dev.offsetd.server.prewarms;

import org.jspecify.annotations.NullMarked;
