/**
 * The object store: immutable objects in a bucket of an S3-compatible service, named by their SHA-256, which are
 * fetched whole and kept on the server's disk. It must not know what the objects contain, nor the tables that refer to them.
 */
@NullMarked
package dev.offsetd.server.storage.objects;

import org.jspecify.annotations.NullMarked;
