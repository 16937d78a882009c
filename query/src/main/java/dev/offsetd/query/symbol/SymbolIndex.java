package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;
import java.util.List;
import java.util.function.Consumer;

/** Look-ups in the symbols of a build. Thread-safe. */
public interface SymbolIndex {

    /** Returns the matching symbols sorted by name, those of one name in the order of the tables. */
    default List<Symbol> find(SymbolPattern pattern) {
        return find(pattern, false, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * Returns the matches of {@link #find}, followed by the parts that compilers split off functions of these names
     * ({@code name.cold}, {@code name.part.0}, {@code name.constprop.0.isra.0}).
     */
    default List<Symbol> findFamily(SymbolPattern pattern) {
        return find(pattern, true, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * Returns the first symbols of {@link #find(SymbolPattern)} or {@link #findFamily}.
     *
     * @param limit the most symbols to list
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget);

    /** Passes the symbols of each name to a consumer, sorted by name, those of one name in the order of the tables. */
    void forEachName(Consumer<List<Symbol>> sink);

    /**
     * Returns other names of the variables with this name, in the order of the tables: {@code _rtld_global} for
     * {@code _rtld_local}. Without versions, each once.
     *
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    List<String> aliasesOf(String name, SearchBudget budget);

    /**
     * Returns the symbols that contain an address, the preferred one first: global before weak before local, with a size
     * before without, shorter names first. Mapping, section and file symbols, thread-local variables and absolute values
     * contain no address, and neither does anything in a relocatable file.
     *
     * <ol>
     *   <li>A symbol with a size owns its bytes. If symbols are nested, the innermost answers with its aliases: all that
     *       start at its address and contain the requested one.
     *   <li>Symbols at the address itself answer too, whether they have a size or not.
     *   <li>If no symbol owns the address, the nearest ones before it without a size answer, up to the end of their
     *       section, unless a symbol with a size lies or ends between. Hand-written assembly often gives its functions no
     *       size, and what follows a known end belongs to no symbol.
     * </ol>
     *
     * @param address an ELF virtual address, unsigned; on 32-bit ARM without the Thumb bit
     */
    default List<SymbolAt> at(long address) {
        return at(address, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * Returns the first symbols of {@link #at(long)}.
     *
     * @param limit the most symbols to list
     * @param budget pays for the search; if it is exceeded, the result is useless
     */
    Matches<SymbolAt> at(long address, int limit, SearchBudget budget);
}
