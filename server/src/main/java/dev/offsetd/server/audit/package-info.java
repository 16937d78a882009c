/**
 * The record of who changed what. It must not know what the changed things mean: it keeps them as JSON.
 */
@NullMarked
package dev.offsetd.server.audit;

import org.jspecify.annotations.NullMarked;
