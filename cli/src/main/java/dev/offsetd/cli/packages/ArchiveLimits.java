package dev.offsetd.cli.packages;

/**
 * How much of one path is read before it is taken for hostile. What is read is not kept, so these bound time rather than
 * memory.
 *
 * @param maxEntries files in archives; a large image has some 200,000
 * @param maxDecompressedBytes what may come out of all compressed streams together
 * @param maxCompressionRatio bytes out for each byte in, of one stream; source code has 5, an image 3
 * @param freeBytes what may come out of a stream whatever its ratio is: files of zeros are common, and small
 * @param maxHeaderBytes what an archive may have between two of its files: names are kept in memory
 * @param maxArchives archives inside of each other: an image's layer is in an archive, and a package's files are in one in
 *     another
 * @param maxCodings compressed streams inside of each other
 * @param maxBuilds different builds
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
}
