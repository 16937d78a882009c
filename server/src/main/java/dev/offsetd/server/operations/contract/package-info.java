/** Serves the contract, its reference page, and the start page. It must not know any call of the contract. */
@NullMarked
package dev.offsetd.server.operations.contract;

import org.jspecify.annotations.NullMarked;
