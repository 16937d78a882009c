package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.input.LimitExceededException;

/**
 * Account of the memory of one thread's results. A few bytes of DWARF can refer to one long string, or its suffixes, many
 * times, so neither the file size nor the length limit of a name bounds the total. Not thread-safe.
 */
public final class MemoryAccount {

    /** Heap of a type: its record, its places in maps and indexes, and its entry in the catalogue. */
    public static final int TYPE_BYTES = 250;

    /** Heap of a definition beside its type: its record, its name in the index, and its entry in the catalogue. */
    public static final int DEFINITION_BYTES = 300;

    public static final int VARIABLE_BYTES = 450;

    /** Heap of a member: its record, its location, and its part of the type's entry in the catalogue. */
    public static final int MEMBER_BYTES = 140;

    /** Heap of an enumerator: its record, its name in the index, and its part of the type's entry. */
    public static final int ENUMERATOR_BYTES = 330;

    /** Heap of a dimension of an array: its count, boxed, and its part of the spelling. */
    public static final int DIMENSION_BYTES = 48;

    /** Heap of a parameter of a function type: its place in two lists, and its part of the type's entry. */
    public static final int PARAMETER_BYTES = 48;

    /** Heap of a cache entry keyed by a DIE. */
    public static final int NOTE_BYTES = 120;

    /** Heap of a scope: its object and its place in a list that grows by half. */
    public static final int SCOPE_BYTES = 64;

    /** Heap of a text without its characters. */
    private static final int TEXT_BYTES = 64;

    /** Two in memory, and what its name in the index and the compressed catalogue have of it. */
    private static final int CHARACTER_BYTES = 3;

    /** The JVM has one byte in memory for each character of a text that is Latin throughout. */
    private static final int LATIN_CHARACTER_BYTES = 2;

    /** Bytes counted here before they are charged to the budget that all threads share. */
    private static final int BATCH_BYTES = 1 << 16;

    private final DwarfUnits dwarf;
    private long characters;
    private long entries;
    private long bytes;
    private long reportedBytes;

    public MemoryAccount(DwarfUnits dwarf) {
        this.dwarf = dwarf;
    }

    /** Counts a name or spelling of the DIE at this address that is about to be kept. */
    public void addText(long newCharacters, long dieAddress) throws LimitExceededException {
        characters += newCharacters;
        if (characters > dwarf.limits().maxTextChars()) {
            throw dwarf.exceeded(
                    dieAddress,
                    "maxTextChars",
                    dwarf.limits().maxTextChars(),
                    "names and spellings come to " + characters + " characters");
        }
        int characterBytes = dwarf.names().areLatin() ? LATIN_CHARACTER_BYTES : CHARACTER_BYTES;
        addBytes(TEXT_BYTES + characterBytes * newCharacters, dieAddress);
    }

    /**
     * Counts a type, member or enumerator of the DIE at this address that is about to be kept.
     *
     * @param heapBytes what it takes, without its text
     */
    public void addEntry(int heapBytes, long dieAddress) throws LimitExceededException {
        dwarf.requireEntries(++entries, "types and members", dieAddress);
        addBytes(heapBytes, dieAddress);
    }

    /** Counts heap memory that is not an entry. */
    public void addBytes(long heapBytes, long dieAddress) throws LimitExceededException {
        bytes += heapBytes;
        if (bytes - reportedBytes >= BATCH_BYTES) {
            long more = bytes - reportedBytes;
            reportedBytes = bytes;
            dwarf.keep(more, dieAddress);
        }
    }

    /** Returns whether half of a limit is used up. */
    public boolean isHalfFull() {
        return characters > dwarf.limits().maxTextChars() / 2
                || entries > dwarf.limits().maxEntries() / 2
                || bytes > dwarf.limits().maxKeptBytes() / 2;
    }

    /** Releases everything counted so far. */
    public void clear() {
        dwarf.release(reportedBytes);
        characters = 0;
        entries = 0;
        bytes = 0;
        reportedBytes = 0;
    }
}
