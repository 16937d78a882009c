/**
 * The audit page. It must not know what the changed things mean, only which have a page.
 */
@NullMarked
package dev.offsetd.server.admin.audit;

import org.jspecify.annotations.NullMarked;
