/**
 * The pages for people, one package for each kind of page. It must not decide what the features below it decide: pages show
 * what these know, and ask them to change it.
 */
@NullMarked
package dev.offsetd.server.admin;

import org.jspecify.annotations.NullMarked;
