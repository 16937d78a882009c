/**
 * The overview page: builds, work in progress and problems. It must not know how any of it is counted.
 */
@NullMarked
package dev.offsetd.server.admin.overview;

import org.jspecify.annotations.NullMarked;
