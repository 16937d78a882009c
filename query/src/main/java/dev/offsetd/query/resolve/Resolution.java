package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.SymbolIndex;
import java.util.List;
import java.util.Optional;

/**
 * An expression and its answer.
 *
 * @param expression what was answered: it may be about another name of the variable that was asked for
 */
public record Resolution(OffsetExpression expression, OffsetAnswer answer) {

    /** Names of one variable that are tried; glibc has up to three. */
    private static final int MAX_ALIASES = 16;

    /** The answer under the name that was asked for. */
    public static Resolution of(OffsetExpression expression, TypeIndex index, Optional<Language.Family> language) {
        return new Resolution(expression, OffsetResolver.resolve(expression, index, language));
    }

    /** The answer under the first of these names that leads anywhere; empty if none does. */
    public static Optional<Resolution> ofFirst(
            List<OffsetExpression> expressions, TypeIndex index, Optional<Language.Family> language) {
        return expressions.stream()
                .map(expression -> of(expression, index, language))
                .filter(Resolution::isKnown)
                .findFirst();
    }

    /**
     * The same byte under other names: debug information has one name of a variable, the symbol table can have others for
     * the same address.
     *
     * @param budget of no use is what is found if it is exceeded
     * @return none unless {@link #mayHaveAlias}
     */
    public List<OffsetExpression> aliases(SymbolIndex symbols, SearchBudget budget) {
        if (!mayHaveAlias()) {
            return List.of();
        }
        return symbols.aliasesOf(expression.name(), budget).stream()
                .limit(MAX_ALIASES)
                .map(expression::withName)
                .toList();
    }

    /** Whether symbols may help: there is nothing of this name, and it may be a variable's. */
    public boolean mayHaveAlias() {
        return !isKnown() && expression.kind() == null;
    }

    private boolean isKnown() {
        return answer.status() != OffsetAnswer.Status.NOT_FOUND;
    }
}
