package dev.offsetd.query.symbol;

import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.SymbolVersion;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The names of the symbols that are asked for: {@code memcpy} (of every version), {@code memcpy@GLIBC_2.2.5} (of this
 * one), {@code memcpy@@GLIBC_2.14} (of this one, if it is the default). Name and version may be shell patterns:
 * {@code rb_vm_*}, {@code [a-z]?*@GLIBC_2.3[4-9]}. {@code \} before a character takes away what it means.
 */
public final class SymbolPattern {

    /** The test of a pattern that asks for no version: by this very object. */
    static final Predicate<Symbol> EVERY_SYMBOL = symbol -> true;

    private final NamePattern whole;
    private final NamePattern name;
    private final Optional<NamePattern> version;
    private final boolean onlyDefault;

    private SymbolPattern(String text, int at) {
        whole = NamePattern.of(text);
        onlyDefault = text.startsWith("@@", at);
        name = at < 0 ? whole : NamePattern.of(text.substring(0, at));
        version = at < 0 ? Optional.empty() : Optional.of(NamePattern.of(text.substring(at + (onlyDefault ? 2 : 1))));
    }

    /**
     * Understands what was asked.
     *
     * @throws IllegalArgumentException if it is a pattern of more than 1,024 characters; a mere name may have any length
     */
    public static SymbolPattern of(String text) {
        return new SymbolPattern(text, versionStart(text));
    }

    /** Index of the first {@code @} that is not the first character and has no backslash before it; -1 if there is none. */
    private static int versionStart(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == '@' && i > 0) {
                return i;
            }
        }
        return -1;
    }

    /** The pattern for names without their versions. */
    NamePattern name() {
        return name;
    }

    /** The pattern as a name that has no version but an {@code @} in itself; empty if there is none in it. */
    Optional<NamePattern> wholeName() {
        return version.isEmpty() ? Optional.empty() : Optional.of(whole);
    }

    /**
     * Tells whether a symbol whose name matches has a version that was asked for. For one search: it remembers, as a file
     * may give a million symbols one long version.
     *
     * @param budget pays for each version that is compared
     * @return {@link #EVERY_SYMBOL} if no version was asked for
     */
    Predicate<Symbol> versionTest(SearchBudget budget) {
        if (version.isEmpty()) {
            return EVERY_SYMBOL;
        }
        IdentityHashMap<String, Boolean> known = new IdentityHashMap<>();
        return symbol -> {
            SymbolVersion has = symbol.version();
            return has != null
                    && (has.isDefault() || !onlyDefault)
                    && known.computeIfAbsent(
                            has.name(),
                            text -> budget.takeName(text) && version.get().matches(text, budget));
        };
    }
}
