package dev.offsetd.extractor.input;

import java.time.Duration;

/**
 * How much a file may make the extractor do. A number from the file is checked against its limit where it is read,
 * before anything is allocated for it; one that is over ends in a {@link LimitExceededException}.
 *
 * @param maxFileBytes size of the ELF file. Largest seen: 3 GB (webkitgtk)
 * @param maxDecompressedBytes bytes of one decompressed section, and of all of a file together
 * @param maxHeapSectionBytes decompressed bytes of a file kept in memory, outside of the heap; sections past it go to a
 *     temporary file
 * @param maxKeptBytes heap memory for what is kept of a file while it is read and its catalogue is written, by the
 *     estimate of {@link HeapBudget}. The default is nine tenths of the heap
 * @param maxTextChars characters of all names and spellings that are kept of a file; of a libruby 1,500,000
 * @param maxEntries entries of one kind that are kept of a file: section headers, abbreviations, definitions, members,
 *     scopes; each takes some 40 to 400 bytes. Of a libruby 40,000 types and members
 * @param maxUnits units of {@code .debug_info}. Largest seen: about 80,000 (chromium)
 * @param maxAttributesPerAbbreviation attributes of one abbreviation; producers stay under 30
 * @param maxMembersPerType members, enumerators, dimensions or parameters of one type
 * @param maxDieDepth nesting of DIEs in a unit; without siblings the time to read it grows with its size times its depth
 * @param maxTypeDepth types followed from one to the next: typedefs, qualifiers, members held by value
 * @param maxNameBytes bytes of one name; large C++ templates come to 100 KB
 * @param maxSymbols entries of the symbol tables of one file together. A kernel has 120,000; the default takes some 700 MB
 *     of memory while it is read
 * @param maxSymbolNameBytes bytes of the names of those symbols and of their versions, each counted once: mangled C++ names
 *     may be long
 * @param maxMiniDebugInfoBytes decompressed bytes of {@code .gnu_debugdata}, which are kept in memory, and the memory for
 *     decompressing them; {@code xz -9} wants 65 MiB for its dictionary. Real ones hold a few megabytes
 * @param maxDuration time for one file; looked at every 64 KiB of DIEs, and between steps of reading symbols
 */
public record Limits(
        long maxFileBytes,
        long maxDecompressedBytes,
        long maxHeapSectionBytes,
        long maxKeptBytes,
        long maxTextChars,
        int maxEntries,
        int maxUnits,
        int maxAttributesPerAbbreviation,
        int maxMembersPerType,
        int maxDieDepth,
        int maxTypeDepth,
        int maxNameBytes,
        int maxSymbols,
        long maxSymbolNameBytes,
        int maxMiniDebugInfoBytes,
        Duration maxDuration) {

    /** Name of the limit on heap, as {@link LimitExceededException#limit} has it. */
    public static final String MAX_KEPT_BYTES = "maxKeptBytes";

    /** Types in types that a stack of 1 MiB has room for, twice over. */
    private static final int MAX_TYPE_DEPTH = 500;

    /** Room for every real file that was seen, and no more than a server can bear. */
    public static final Limits DEFAULT = new Limits(
            16L << 30,
            8L << 30,
            512L << 20,
            Runtime.getRuntime().maxMemory() / 10 * 9,
            512L << 20,
            20_000_000,
            1_000_000,
            1_000,
            1_000_000,
            1_024,
            256,
            1 << 20,
            3_000_000,
            256L << 20,
            128 << 20,
            Duration.ofMinutes(10));

    public Limits {
        requirePositive(maxFileBytes, "maxFileBytes");
        requirePositive(maxDecompressedBytes, "maxDecompressedBytes");
        requirePositive(maxHeapSectionBytes, "maxHeapSectionBytes");
        requirePositive(maxKeptBytes, MAX_KEPT_BYTES);
        requirePositive(maxTextChars, "maxTextChars");
        requirePositive(maxEntries, "maxEntries");
        requirePositive(maxUnits, "maxUnits");
        requirePositive(maxAttributesPerAbbreviation, "maxAttributesPerAbbreviation");
        requirePositive(maxMembersPerType, "maxMembersPerType");
        requirePositive(maxDieDepth, "maxDieDepth");
        requirePositive(maxTypeDepth, "maxTypeDepth");
        if (maxTypeDepth > MAX_TYPE_DEPTH) {
            throw new IllegalArgumentException("maxTypeDepth is " + maxTypeDepth + "; expected up to " + MAX_TYPE_DEPTH
                    + ": types are followed by recursion");
        }
        requirePositive(maxNameBytes, "maxNameBytes");
        requirePositive(maxSymbols, "maxSymbols");
        requirePositive(maxSymbolNameBytes, "maxSymbolNameBytes");
        requirePositive(maxMiniDebugInfoBytes, "maxMiniDebugInfoBytes");
        requirePositive(maxDuration.toNanos(), "maxDuration");
    }

    public Limits withMaxFileBytes(long bytes) {
        return new Limits(
                bytes,
                maxDecompressedBytes,
                maxHeapSectionBytes,
                maxKeptBytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                maxSymbols,
                maxSymbolNameBytes,
                maxMiniDebugInfoBytes,
                maxDuration);
    }

    public Limits withMaxDecompressedBytes(long bytes) {
        return new Limits(
                maxFileBytes,
                bytes,
                maxHeapSectionBytes,
                maxKeptBytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                maxSymbols,
                maxSymbolNameBytes,
                maxMiniDebugInfoBytes,
                maxDuration);
    }

    public Limits withMaxHeapSectionBytes(long bytes) {
        return new Limits(
                maxFileBytes,
                maxDecompressedBytes,
                bytes,
                maxKeptBytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                maxSymbols,
                maxSymbolNameBytes,
                maxMiniDebugInfoBytes,
                maxDuration);
    }

    public Limits withMaxKeptBytes(long bytes) {
        return new Limits(
                maxFileBytes,
                maxDecompressedBytes,
                maxHeapSectionBytes,
                bytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                maxSymbols,
                maxSymbolNameBytes,
                maxMiniDebugInfoBytes,
                maxDuration);
    }

    public Limits withMaxDuration(Duration duration) {
        return new Limits(
                maxFileBytes,
                maxDecompressedBytes,
                maxHeapSectionBytes,
                maxKeptBytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                maxSymbols,
                maxSymbolNameBytes,
                maxMiniDebugInfoBytes,
                duration);
    }

    public Limits withMaxSymbols(int symbols) {
        return new Limits(
                maxFileBytes,
                maxDecompressedBytes,
                maxHeapSectionBytes,
                maxKeptBytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                symbols,
                maxSymbolNameBytes,
                maxMiniDebugInfoBytes,
                maxDuration);
    }

    public Limits withMaxSymbolNameBytes(long bytes) {
        return new Limits(
                maxFileBytes,
                maxDecompressedBytes,
                maxHeapSectionBytes,
                maxKeptBytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                maxSymbols,
                bytes,
                maxMiniDebugInfoBytes,
                maxDuration);
    }

    public Limits withMaxMiniDebugInfoBytes(int bytes) {
        return new Limits(
                maxFileBytes,
                maxDecompressedBytes,
                maxHeapSectionBytes,
                maxKeptBytes,
                maxTextChars,
                maxEntries,
                maxUnits,
                maxAttributesPerAbbreviation,
                maxMembersPerType,
                maxDieDepth,
                maxTypeDepth,
                maxNameBytes,
                maxSymbols,
                maxSymbolNameBytes,
                bytes,
                maxDuration);
    }

    private static void requirePositive(long value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " is " + value + "; expected more than 0");
        }
    }
}
