package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.input.LimitExceededException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Cache of values for the current unit, by DIE or unit, that charges their memory. Not thread-safe. */
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
     * Adds a value until {@link #clear()}.
     *
     * @param characters of text in it
     */
    public void put(long key, V value, long characters, long dieAddress) throws LimitExceededException {
        account.addText(characters, dieAddress);
        account.addEntry(MemoryAccount.NOTE_BYTES, dieAddress);
        values.put(key, value);
    }

    /** Returns the account for memory that the values refer to, released by {@link #clear()}. */
    public MemoryAccount account() {
        return account;
    }

    public void clear() {
        values.clear();
        account.clear();
    }
}
