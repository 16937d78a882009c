package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolVersion;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Pattern of symbol names: {@code memcpy} (any version), {@code memcpy@GLIBC_2.2.5} (this version),
 * {@code memcpy@@GLIBC_2.14} (this version, if it is the default). Name and version may be shell patterns: {@code rb_vm_*},
 * {@code [a-z]?*@GLIBC_2.3[4-9]}. {@code \} makes a character literal.
 */
public final class SymbolPattern {

    /** The test of a pattern without a version, compared by identity. */
    static final Predicate<Symbol> EVERY_SYMBOL = symbol -> true;

    private final NamePattern whole;
    private final NamePattern name;
    private final @Nullable NamePattern version;
    private final boolean onlyDefault;

    private SymbolPattern(String text, int at) {
        whole = NamePattern.of(text);
        onlyDefault = text.startsWith("@@", at);
        name = at < 0 ? whole : NamePattern.of(text.substring(0, at));
        version = at < 0 ? null : NamePattern.of(text.substring(at + (onlyDefault ? 2 : 1)));
    }

    /**
     * Parses a pattern.
     *
     * @throws IllegalArgumentException if it is a pattern of more than 1,024 characters; a literal name may have any length
     */
    public static SymbolPattern of(String text) {
        return new SymbolPattern(text, versionStart(text));
    }

    /** Returns the pattern that only this name matches, of any version. */
    public static SymbolPattern ofName(String name) {
        StringBuilder text = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            if ("*?[]\\@".indexOf(name.charAt(i)) >= 0) {
                text.append('\\');
            }
            text.append(name.charAt(i));
        }
        return of(text.toString());
    }

    /** Returns the index of the first {@code @} that is neither first nor escaped, or -1. */
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

    /** Returns the pattern for names without versions. */
    NamePattern name() {
        return name;
    }

    /** Returns the pattern as a name that contains an {@code @}; empty if it has none. */
    Optional<NamePattern> wholeName() {
        return version == null ? Optional.empty() : Optional.of(whole);
    }

    /**
     * Returns a test of the version of symbols whose names match. For one search: it caches results, since a file may give
     * a million symbols the same long version.
     *
     * @param budget pays for each version that is compared
     * @return {@link #EVERY_SYMBOL} if the pattern has no version
     */
    Predicate<Symbol> versionTest(SearchBudget budget) {
        NamePattern wanted = version;
        if (wanted == null) {
            return EVERY_SYMBOL;
        }
        IdentityHashMap<String, Boolean> known = new IdentityHashMap<>();
        return symbol -> {
            SymbolVersion has = symbol.version();
            return has != null
                    && (has.isDefault() || !onlyDefault)
                    && known.computeIfAbsent(has.name(), text -> budget.takeName(text) && wanted.matches(text, budget));
        };
    }
}
