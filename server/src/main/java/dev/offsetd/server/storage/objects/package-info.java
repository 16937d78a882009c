/**
 * The object store: immutable objects in a bucket of an S3-compatible service, named by their SHA-256 and read in verified parts
 * through a disk cache. It must not know what the objects contain, nor the tables that refer to them.
 */
@NullMarked
package dev.offsetd.server.storage.objects;

import org.jspecify.annotations.NullMarked;
