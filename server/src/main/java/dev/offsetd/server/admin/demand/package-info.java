/**
 * The page of builds that were asked for in vain. It must not know how they are counted.
 */
@NullMarked
package dev.offsetd.server.admin.demand;

import org.jspecify.annotations.NullMarked;
