package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An expression with its answer.
 *
 * @param expression the resolved expression, which may have an alias of the variable in the query
 */
public record Resolution(OffsetExpression expression, OffsetAnswer answer) {

    /** Most aliases of a variable that are tried; glibc has up to three. */
    private static final int MAX_ALIASES = 16;

    /** Resolves an expression under the name that it has. */
    public static Resolution of(OffsetExpression expression, TypeIndex index, Language.@Nullable Family language) {
        return new Resolution(expression, OffsetResolver.resolve(expression, index, language));
    }

    /** Resolves the first of these expressions whose name is found; empty if none is. */
    public static Optional<Resolution> ofFirst(
            List<OffsetExpression> expressions, TypeIndex index, Language.@Nullable Family language) {
        return expressions.stream()
                .map(expression -> of(expression, index, language))
                .filter(Resolution::isKnown)
                .findFirst();
    }

    /**
     * Returns the expression with other names of the variable, or with the names of those at its address: the symbol table can have
     * several names for one address, debug information has one.
     *
     * @param fileOffsets where the symbols are in the file of the program
     * @param budget pays for the search; if it is exceeded, the result is useless
     * @return empty unless {@link #mayHaveAlias}
     */
    public List<OffsetExpression> aliases(StoredSymbols symbols, FileOffsets fileOffsets, SearchBudget budget) {
        if (!mayHaveAlias()) {
            return List.of();
        }
        Optional<CodeAddress> address = expression.address();
        if (address.isPresent()) {
            OptionalLong place = address.get().in(fileOffsets);
            return place.isEmpty() ? List.of() : variablesAt(place.getAsLong(), symbols, budget);
        }
        return symbols.aliasesOf(expression.name(), budget).stream()
                .limit(MAX_ALIASES)
                .map(expression::withName)
                .toList();
    }

    private List<OffsetExpression> variablesAt(long place, StoredSymbols symbols, SearchBudget budget) {
        return symbols.at(place, MAX_ALIASES, budget).first().stream()
                .filter(at ->
                        at.symbol().isVariable() && at.offset() >= 0 && at.offset() <= OffsetExpression.MAX_OFFSET)
                .map(at -> new OffsetExpression(
                        expression.text(), null, at.symbol().name(), at.offset()))
                .toList();
    }

    /** Returns the answer to an address that {@link #aliases} has no variable for, with the reason. */
    public Resolution withoutVariable(FileOffsets fileOffsets) {
        return expression
                .address()
                .filter(_ -> !isKnown())
                .map(address -> new Resolution(
                        expression,
                        new OffsetAnswer.Missed(
                                OffsetAnswer.Status.NOT_FOUND,
                                address.in(fileOffsets).isEmpty()
                                        ? address.missing(fileOffsets)
                                        : "no variable with a type is at " + address)))
                .orElse(this);
    }

    /** Adds similar names to an answer whose name was not found. */
    public Resolution suggesting(BuildContents build) {
        if (expression.address().isPresent() || isKnown() || !(answer instanceof OffsetAnswer.Missed missed)) {
            return this;
        }
        String similar = Suggestions.sentence(new Suggestions(build).typesAndSymbolsLike(expression.name()));
        return similar.isEmpty()
                ? this
                : new Resolution(
                        expression, new OffsetAnswer.Missed(missed.status(), missed.detail() + "; " + similar));
    }

    /** Returns whether symbols may help: the name was not found, and may be a variable's. */
    public boolean mayHaveAlias() {
        return !isKnown() && expression.kind() == null;
    }

    private boolean isKnown() {
        return answer.status() != OffsetAnswer.Status.NOT_FOUND;
    }
}
