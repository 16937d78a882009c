package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.input.LimitExceededException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values computed for the current unit, by DIE or unit, with the memory they take. Not thread-safe. */
public final class UnitMemo<V> {

    private final Map<Long, V> values = new HashMap<>();
    private final MemoryAccount account;

    public UnitMemo(DwarfUnits dwarf) {
        this.account = new MemoryAccount(dwarf);
    }

    @Nullable
    public V get(long key) {
        return values.get(key);
    }

    /**
     * Keeps a value until {@link #clear()}.
     *
     * @param characters of text in it
     */
    public void put(long key, V value, long characters, long dieAddress) throws LimitExceededException {
        account.addText(characters, dieAddress);
        account.addEntry(MemoryAccount.NOTE_BYTES, dieAddress);
        values.put(key, value);
    }

    /** Counts what values hold beside themselves, until {@link #clear()}. */
    public MemoryAccount account() {
        return account;
    }

    public void clear() {
        values.clear();
        account.clear();
    }
}
