package dev.offsetd.query.symbol;

import dev.offsetd.extractor.layout.Symbol;
import java.util.List;

/** The symbols of a build, and what is asked of them, wherever they are kept. Safe for any number of threads. */
public interface SymbolIndex {

    /** The symbols that were asked for, sorted by name; those of one name in the order of the tables. */
    default List<Symbol> find(SymbolPattern pattern) {
        return find(pattern, false, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * As {@link #find}, followed by what compilers made out of functions of these names and named after them
     * ({@code name.cold}, {@code name.part.0}, {@code name.constprop.0.isra.0}): a function may be in several pieces.
     */
    default List<Symbol> findFamily(SymbolPattern pattern) {
        return find(pattern, true, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * The first symbols of those that {@link #find(SymbolPattern)} has, or {@link #findFamily}.
     *
     * @param limit most symbols to list
     * @param budget of no use is what is found if it is exceeded
     */
    Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget);

    /**
     * Other names of the variables that have this name, in the order of the tables: {@code _rtld_global} for
     * {@code _rtld_local}. Names without their versions, each once.
     */
    default List<String> aliasesOf(String name) {
        return aliasesOf(name, SearchBudget.unlimited());
    }

    /**
     * As {@link #aliasesOf(String)}.
     *
     * @param budget of no use is what is found if it is exceeded
     */
    List<String> aliasesOf(String name, SearchBudget budget);

    /**
     * The symbols that this address belongs to, the preferred one first: global before weak before local, with a size before
     * without, the shortest name. Mapping symbols, section and file symbols, thread-local variables and absolute numbers
     * answer no address, and nothing in a relocatable file does.
     *
     * <ol>
     *   <li>A symbol with a size owns its bytes. Of nested ones the innermost answers, with its aliases: all that start
     *       where it does and hold the address.
     *   <li>Symbols at the address itself answer too, whether they have a size or not.
     *   <li>Where no symbol owns the address, those without a size answer that are the nearest before it, as far as their
     *       section goes, and unless a symbol with a size lies or ends between: hand-written assembly often gives its
     *       functions no size, and what follows a known end belongs to nobody.
     * </ol>
     *
     * @param address an ELF virtual address, unsigned; on 32-bit ARM without the Thumb bit
     */
    default List<SymbolAt> at(long address) {
        return at(address, Integer.MAX_VALUE, SearchBudget.unlimited()).first();
    }

    /**
     * The first symbols of those that {@link #at(long)} has.
     *
     * @param limit most symbols to list
     * @param budget of no use is what is found if it is exceeded
     */
    Matches<SymbolAt> at(long address, int limit, SearchBudget budget);
}
