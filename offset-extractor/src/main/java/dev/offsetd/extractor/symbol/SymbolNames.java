package dev.offsetd.extractor.symbol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Symbols by their distinct names, sorted by {@link String#compareTo}; how patterns are looked up in them. */
abstract class SymbolNames {

    /** How many names there are. */
    abstract int count();

    /** The name at this place. */
    abstract String name(int place);

    /** The first place whose name is this one or comes after it. */
    abstract int firstFrom(String name);

    /** The symbols of the name at this place, in the order of the tables. */
    abstract List<Symbol> symbols(int place);

    /** As {@link SymbolIndex#find}, or {@link SymbolIndex#findFamily}. */
    List<Symbol> find(SymbolPattern pattern, boolean family) {
        List<Symbol> found = new ArrayList<>();
        NamePattern name = pattern.name();
        Predicate<Symbol> ofVersion = pattern.versionTest();
        if (name.isLiteral()) {
            int place = placeOf(name.literal());
            if (place >= 0) {
                addSuiting(place, ofVersion, found);
            }
        } else {
            addNamed(name.literal(), name::matches, ofVersion, found);
        }
        // Compilers give no versions to the pieces.
        if (family && name.isLiteral()) {
            addNamed(
                    name.literal() + ".",
                    other -> CloneSuffixes.isCloneOf(name.literal(), other),
                    symbol -> true,
                    found);
        } else if (family) {
            addNamed(
                    name.literal(),
                    other -> !name.matches(other) && name.matches(CloneSuffixes.functionOf(other)),
                    symbol -> true,
                    found);
        }
        pattern.wholeName()
                .ifPresent(
                        whole -> addNamed(whole.literal(), whole::matches, symbol -> symbol.version() == null, found));
        return List.copyOf(found);
    }

    /** The symbols of this name, in the order of the tables. */
    List<Symbol> named(String name) {
        int place = placeOf(name);
        return place < 0 ? List.of() : symbols(place);
    }

    private int placeOf(String name) {
        int place = firstFrom(name);
        return place < count() && name(place).equals(name) ? place : -1;
    }

    /** Adds the symbols that suit, of all names that start with this and match. */
    private void addNamed(String start, Predicate<String> matches, Predicate<Symbol> suits, List<Symbol> found) {
        for (int place = firstFrom(start); place < count(); place++) {
            String name = name(place);
            if (!name.startsWith(start)) {
                return;
            }
            if (matches.test(name)) {
                addSuiting(place, suits, found);
            }
        }
    }

    private void addSuiting(int place, Predicate<Symbol> suits, List<Symbol> found) {
        for (Symbol symbol : symbols(place)) {
            if (suits.test(symbol)) {
                found.add(symbol);
            }
        }
    }
}
