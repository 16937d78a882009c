/**
 * The operation of the server: health checks, metrics, logs and traces, periodic work, threads for work that computes, the notice
 * of changes to other servers, and the contract. It must not know any kind of resource.
 */
@NullMarked
package dev.offsetd.server.operations;

import org.jspecify.annotations.NullMarked;
