/**
 * The audit log: who changed what. It must not know what the changed things mean: it stores them as JSON.
 */
@NullMarked
package dev.offsetd.server.access.audit;

import org.jspecify.annotations.NullMarked;
