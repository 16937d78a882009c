/**
 * The parts that all pages share: layout, assets, colours and the error page. It must not know any page except by its
 * path.
 */
@NullMarked
package dev.offsetd.server.admin.shell;

import org.jspecify.annotations.NullMarked;
