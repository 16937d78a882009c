/**
 * The page of unmet demand. It must not know how demand is counted.
 */
@NullMarked
package dev.offsetd.server.admin.demand;

import org.jspecify.annotations.NullMarked;
