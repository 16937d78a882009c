package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.LimitExceededException;

/**
 * Counts what is kept of a file in memory. A few bytes can name the same long string again and again, and the ends of
 * it, so neither the size of the file nor the length of one name bounds all of them together. For one thread.
 */
final class Kept {

    private final DwarfTypes dwarf;
    private long characters;
    private long entries;

    Kept(DwarfTypes dwarf) {
        this.dwarf = dwarf;
    }

    /** Counts a name or spelling of the DIE at this address that is about to be kept. */
    void add(long newCharacters, long dieOffset) throws LimitExceededException {
        characters += newCharacters;
        if (characters > dwarf.limits().maxTextChars()) {
            throw dwarf.exceeded(
                    dieOffset,
                    "maxTextChars",
                    dwarf.limits().maxTextChars(),
                    "names and spellings come to " + characters + " characters");
        }
    }

    /** Counts types, members or enumerators of the DIE at this address that are about to be kept. */
    void addEntries(long newEntries, long dieOffset) throws LimitExceededException {
        entries += newEntries;
        dwarf.requireEntries(entries, "types and members", dieOffset);
    }

    /** Whether half of what may be kept is. */
    boolean isHalfFull() {
        return characters > dwarf.limits().maxTextChars() / 2
                || entries > dwarf.limits().maxEntries() / 2;
    }

    /** Starts again: nothing that was counted is kept any more. */
    void clear() {
        characters = 0;
        entries = 0;
    }
}
