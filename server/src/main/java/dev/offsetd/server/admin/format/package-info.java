/**
 * Values of the domain as text and badges. Templates reach them as {@code #format} and {@code #badge}. It must not know any
 * page.
 */
@NullMarked
package dev.offsetd.server.admin.format;

import org.jspecify.annotations.NullMarked;
