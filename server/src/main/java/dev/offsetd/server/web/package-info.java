/**
 * How the server speaks HTTP whatever it is asked: errors as problem details from every layer, request ids, and which
 * formats an {@code Accept} header leaves. A leaf: it must not know what the server is about.
 */
@NullMarked
package dev.offsetd.server.web;

import org.jspecify.annotations.NullMarked;
