package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.LimitExceededException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was made for the unit that is being read, by DIE or unit, with its text counted. For one thread. */
final class UnitMemo<V> {

    private final Map<Long, V> values = new HashMap<>();
    private final Kept kept;

    UnitMemo(DwarfTypes dwarf) {
        this.kept = new Kept(dwarf);
    }

    @Nullable
    V get(long key) {
        return values.get(key);
    }

    /**
     * Keeps a value until {@link #clear()}.
     *
     * @param characters of text in it
     */
    void put(long key, V value, long characters, long dieOffset) throws LimitExceededException {
        kept.add(characters, dieOffset);
        kept.addEntry(Kept.NOTE_BYTES, dieOffset);
        values.put(key, value);
    }

    /** Counts what values hold beside themselves, until {@link #clear()}. */
    Kept kept() {
        return kept;
    }

    void clear() {
        values.clear();
        kept.clear();
    }
}
