/**
 * HTTP conventions of every endpoint: errors as problem details, request ids, content negotiation, cursors and
 * preconditions. A leaf: it must not use other packages of the server.
 */
@NullMarked
package dev.offsetd.server.web;

import org.jspecify.annotations.NullMarked;
