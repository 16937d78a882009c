package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.resolve.ExpressionSyntaxException;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Byte of a variable or type.
 *
 * @param language that the variable or type must be of; empty for any
 */
record ResolveQuery(OffsetExpression expression, Optional<Language.Family> language) {

    private static final String EXPRESSION = "expr";
    private static final String LANG = "lang";

    /**
     * Parses a query string. A {@code +} in the expression is a plus.
     *
     * @throws ProblemException if it is malformed: 400
     */
    static ResolveQuery ofQuery(@Nullable String query) {
        QueryParameters parameters =
                QueryParameters.of(query, Set.of(EXPRESSION, LANG, ClaimedNames.NAME), Set.of(), name -> false);
        String text = parameters
                .one(EXPRESSION)
                .orElseThrow(() -> QueryParameters.badRequest(
                        "missing_expression", "No expression", "parameter expr is missing; expected expr=NAME+OFFSET"));
        try {
            return new ResolveQuery(OffsetExpression.parse(text), parameters.language());
        } catch (ExpressionSyntaxException e) {
            throw new ProblemException(Problem.of(
                            HttpStatus.BAD_REQUEST,
                            "bad_expression",
                            "The expression cannot be read",
                            String.valueOf(e.getMessage()))
                    .with("position", e.position()));
        }
    }
}
