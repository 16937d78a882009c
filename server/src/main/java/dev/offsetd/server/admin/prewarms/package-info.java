/**
 * The pages of batches of builds that are fetched ahead of the hosts. It must not know where builds come from, nor who does the
 * work.
 */
@NullMarked
package dev.offsetd.server.admin.prewarms;

import org.jspecify.annotations.NullMarked;
