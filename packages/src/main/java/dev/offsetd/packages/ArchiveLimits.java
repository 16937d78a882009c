package dev.offsetd.packages;

/**
 * Limits for one path, beyond which it counts as hostile. The reader keeps no contents, so they limit time, not memory.
 *
 * @param maxEntries files in archives; a large image has some 200,000
 * @param maxDecompressedBytes output of all compressed streams together
 * @param maxCompressionRatio output to input of one stream; source code has 5, an image 3
 * @param freeBytes output of a stream that is exempt from the ratio, because small files of zeros are common
 * @param maxHeaderBytes bytes between two files of an archive, because the libraries keep names in memory
 * @param maxArchives nested archives; images and packages have two
 * @param maxCodings nested compressed streams
 * @param maxBuilds distinct builds
 */
record ArchiveLimits(
        long maxEntries,
        long maxDecompressedBytes,
        long maxCompressionRatio,
        long freeBytes,
        int maxHeaderBytes,
        int maxArchives,
        int maxCodings,
        int maxBuilds) {

    static final ArchiveLimits DEFAULT =
            new ArchiveLimits(10_000_000, 256L << 30, 300, 512L << 20, 1 << 20, 2, 3, 100_000);

    /** Limits for an index of packages, which compresses by a factor of 4 to 15. */
    static final ArchiveLimits INDEX = new ArchiveLimits(0, 1L << 30, 100, 32L << 20, 0, 0, 1, 0);

    /** @throws ArchiveLimitException if a stream of this many bytes has too many decompressed ones */
    void requireRatio(long bytes, long decompressedBytes) throws ArchiveLimitException {
        if (decompressedBytes > freeBytes && decompressedBytes / maxCompressionRatio > bytes) {
            throw new ArchiveLimitException("a compressed part of " + bytes + " bytes has more than "
                    + decompressedBytes + " decompressed bytes; the limit is a ratio of " + maxCompressionRatio);
        }
    }

    ArchiveLimits withMaxDecompressedBytes(long bytes) {
        return new ArchiveLimits(
                maxEntries, bytes, maxCompressionRatio, freeBytes, maxHeaderBytes, maxArchives, maxCodings, maxBuilds);
    }
}
