/**
 * The operation of the server: health checks, metrics, logs and traces, periodic work, threads for work that computes, the notice
 * of changes to other servers, and the contract. It must not know what is stored of builds, nor any other resource.
 */
@NullMarked
package dev.offsetd.server.operations;

import org.jspecify.annotations.NullMarked;
