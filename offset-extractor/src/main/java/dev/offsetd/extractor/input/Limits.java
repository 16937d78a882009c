package dev.offsetd.extractor.input;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Bounds on the work and memory that one file may cost. A number from the file is checked against its limit where it is
 * read, before anything is allocated for it; exceeding one throws {@link LimitExceededException}.
 *
 * @param maxFileBytes size of the ELF file. Largest seen: 3 GB (webkitgtk)
 * @param maxDecompressedBytes bytes of one decompressed section, and of all decompressed sections of a file together
 * @param maxHeapSectionBytes decompressed bytes of a file held in native memory; sections beyond that go to a temporary
 *     file
 * @param maxKeptBytes estimated heap memory for one file while it is read and its catalogue is written, see
 *     {@link HeapBudget}. The default is nine tenths of the heap
 * @param maxTextChars characters of all names and spellings of a file; libruby has 1,500,000
 * @param maxEntries entries of one kind: section headers, abbreviations, definitions, members, scopes. Each takes 40 to
 *     400 bytes; libruby has 40,000 types and members
 * @param maxUnits units of {@code .debug_info}. Largest seen: about 80,000 (chromium)
 * @param maxAttributesPerAbbreviation attributes of one abbreviation; producers stay under 30
 * @param maxMembersPerType members, enumerators, dimensions or parameters of one type
 * @param maxDieDepth nesting of DIEs in a unit. Without {@code DW_AT_sibling}, reading a unit takes time proportional to
 *     its size times its depth
 * @param maxTypeDepth types followed from one to the next: typedefs, qualifiers, members held by value
 * @param maxNameBytes bytes of one name; names of large C++ templates reach 100 KB
 * @param maxSymbols entries of all symbol tables of a file. A kernel has 120,000; reading the default takes about 700 MB
 *     of memory
 * @param maxSymbolNameBytes bytes of the names of those symbols and of their versions, each counted once; mangled C++
 *     names are long
 * @param maxMiniDebugInfoBytes decompressed bytes of {@code .gnu_debugdata}, and the memory for decompressing them;
 *     {@code xz -9} needs a dictionary of 65 MiB. Real sections hold a few megabytes
 * @param maxDuration time for one file, from its first byte to the last of its catalogue; see {@link Deadline}
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

    /** {@link LimitExceededException#limit} of the limit on heap memory. */
    public static final String MAX_KEPT_BYTES = "maxKeptBytes";

    /** Recursion over types of this depth takes half of a stack of 1 MiB. */
    private static final int MAX_TYPE_DEPTH = 500;

    /** Room for every real file seen so far, within what a server can bear. */
    public static final Limits DEFAULT = new Values().toLimits();

    /**
     * Limits for readings that keep no more than headers. A server runs several beside those of whole files, which have the heap;
     * a gigabyte of it suffices for 150,000 sections.
     */
    public static final Limits HEADERS = DEFAULT.withMaxKeptBytes(Math.max(1, DEFAULT.maxKeptBytes() / 20));

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
            throw new IllegalArgumentException("maxTypeDepth is " + maxTypeDepth + "; expected at most "
                    + MAX_TYPE_DEPTH + ": types are followed by recursion");
        }
        requirePositive(maxNameBytes, "maxNameBytes");
        requirePositive(maxSymbols, "maxSymbols");
        requirePositive(maxSymbolNameBytes, "maxSymbolNameBytes");
        requirePositive(maxMiniDebugInfoBytes, "maxMiniDebugInfoBytes");
        requirePositive(maxDuration.toNanos(), "maxDuration");
    }

    public Limits withMaxFileBytes(long bytes) {
        return with(values -> values.maxFileBytes = bytes);
    }

    public Limits withMaxDecompressedBytes(long bytes) {
        return with(values -> values.maxDecompressedBytes = bytes);
    }

    public Limits withMaxHeapSectionBytes(long bytes) {
        return with(values -> values.maxHeapSectionBytes = bytes);
    }

    public Limits withMaxKeptBytes(long bytes) {
        return with(values -> values.maxKeptBytes = bytes);
    }

    public Limits withMaxDuration(Duration duration) {
        return with(values -> values.maxDuration = duration);
    }

    public Limits withMaxSymbols(int symbols) {
        return with(values -> values.maxSymbols = symbols);
    }

    public Limits withMaxSymbolNameBytes(long bytes) {
        return with(values -> values.maxSymbolNameBytes = bytes);
    }

    public Limits withMaxMiniDebugInfoBytes(int bytes) {
        return with(values -> values.maxMiniDebugInfoBytes = bytes);
    }

    private Limits with(Consumer<Values> change) {
        Values values = new Values(this);
        change.accept(values);
        return values.toLimits();
    }

    /** The limits by name: their defaults, or a copy with one of them changed. */
    private static final class Values {

        long maxFileBytes = 16L << 30;
        long maxDecompressedBytes = 8L << 30;
        long maxHeapSectionBytes = 512L << 20;
        long maxKeptBytes = Runtime.getRuntime().maxMemory() / 10 * 9;
        long maxTextChars = 512L << 20;
        int maxEntries = 20_000_000;
        int maxUnits = 1_000_000;
        int maxAttributesPerAbbreviation = 1_000;
        int maxMembersPerType = 1_000_000;
        int maxDieDepth = 1_024;
        int maxTypeDepth = 256;
        int maxNameBytes = 1 << 20;
        int maxSymbols = 3_000_000;
        long maxSymbolNameBytes = 256L << 20;
        int maxMiniDebugInfoBytes = 128 << 20;
        Duration maxDuration = Duration.ofMinutes(10);

        Values() {}

        Values(Limits limits) {
            maxFileBytes = limits.maxFileBytes;
            maxDecompressedBytes = limits.maxDecompressedBytes;
            maxHeapSectionBytes = limits.maxHeapSectionBytes;
            maxKeptBytes = limits.maxKeptBytes;
            maxTextChars = limits.maxTextChars;
            maxEntries = limits.maxEntries;
            maxUnits = limits.maxUnits;
            maxAttributesPerAbbreviation = limits.maxAttributesPerAbbreviation;
            maxMembersPerType = limits.maxMembersPerType;
            maxDieDepth = limits.maxDieDepth;
            maxTypeDepth = limits.maxTypeDepth;
            maxNameBytes = limits.maxNameBytes;
            maxSymbols = limits.maxSymbols;
            maxSymbolNameBytes = limits.maxSymbolNameBytes;
            maxMiniDebugInfoBytes = limits.maxMiniDebugInfoBytes;
            maxDuration = limits.maxDuration;
        }

        Limits toLimits() {
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
                    maxDuration);
        }
    }

    private static void requirePositive(long value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " is " + value + "; expected more than 0");
        }
    }
}
