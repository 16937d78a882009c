/**
 * Reads the indexes of apt archives, OCI registries and RPM repositories, and the ELF files of what they publish.
 *
 * <p>A repository and its network are hostile until shown otherwise. An index counts only after its signature was verified, or
 * its digest for images, and every download is verified by the hash that a verified index names. A signed index
 * may be an old one that is replayed: it must not have expired, nor be older than the one that was read before. Indexes and
 * packages are streamed to files, and read within limits of size and of compression. A file whose build-id its index does not
 * list is refused.
 *
 * <p>The interface {@link dev.offsetd.packages.repositories.Web} is the seam to the network: it decides which addresses may
 * be reached, and holds the credentials. The readers follow redirects themselves, so that it hears which URLs another host chose.
 *
 * <p>Signatures are verified by Bouncy Castle, and not by {@code gpgv}. Debian 13, on which the server's image is based,
 * installs {@code sqv} for apt and no {@code gpgv}; other systems have neither; and both differ in the keyrings that they
 * accept. Its certificate API checks what a bare signature check would miss: revocations, expiry, bindings of subkeys, and weak
 * hashes. The price is 9 MB of jars, which are loaded when an index is verified.
 */
@NullMarked
package dev.offsetd.packages.repositories;

import org.jspecify.annotations.NullMarked;
