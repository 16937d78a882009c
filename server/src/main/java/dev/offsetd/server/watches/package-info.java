/**
 * Watches: places that publish packages or images, which the server looks at for new builds by itself.
 *
 * <p>One server at a time runs the watches that are due, one after the other. A run lists the place and reads each entry that no
 * earlier run has read. For a build in it to which a type set of the watch applies, the sources are asked as for a client; what none
 * of them has is stored like an upload. An entry is recorded once its builds are stored, so a run that is killed is repeated by
 * another server without reading an entry twice. A server that only paused may go on at the same time: each statement names the
 * number of its run, and a run that another server has taken over changes nothing any more.
 *
 * <p>It must not know how places are read, nor how files are stored.
 */
@NullMarked
package dev.offsetd.server.watches;

import org.jspecify.annotations.NullMarked;
