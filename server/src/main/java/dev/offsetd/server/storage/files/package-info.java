/** Folders that a server fills up to a limit. It must not know what the files contain. */
@NullMarked
package dev.offsetd.server.storage.files;

import org.jspecify.annotations.NullMarked;
