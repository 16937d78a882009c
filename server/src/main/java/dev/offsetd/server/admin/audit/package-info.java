/**
 * The audit page. It must not know what the changed things mean.
 */
@NullMarked
package dev.offsetd.server.admin.audit;

import org.jspecify.annotations.NullMarked;
