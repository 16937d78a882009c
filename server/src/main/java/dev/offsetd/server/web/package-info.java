/**
 * HTTP conventions of every endpoint: errors as problem details, request ids, content negotiation, cursors and
 * preconditions. A leaf: it must not know what the server is about.
 */
@NullMarked
package dev.offsetd.server.web;

import org.jspecify.annotations.NullMarked;
