package dev.offsetd.server.access;

import dev.offsetd.server.access.TokenCheck.Verdict;
import dev.offsetd.server.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Optional;
import org.springframework.http.HttpHeaders;

/**
 * Checks tokens and counts requests: once for each request, whoever on its way asks first. A token that is not accepted
 * ends the request also where none is needed: whoever sends one wants to hear that it is no good.
 */
final class Admissions {

    private static final String ATTRIBUTE = Admission.class.getName();

    private final TokenCheck tokens;
    private final RateLimits limits;

    Admissions(TokenCheck tokens, RateLimits limits) {
        this.tokens = tokens;
        this.limits = limits;
    }

    /**
     * What was decided about this request, if it was; else it is decided now.
     *
     * @param counted whether it counts against its sender's limit
     */
    Admission of(HttpServletRequest request, boolean counted) {
        if (request.getAttribute(ATTRIBUTE) instanceof Admission known) {
            return known;
        }
        Admission decided = decide(request, counted);
        request.setAttribute(ATTRIBUTE, decided);
        return decided;
    }

    private Admission decide(HttpServletRequest request, boolean counted) {
        String address = ClientAddress.of(request);
        return switch (tokens.check(Collections.list(request.getHeaders(HttpHeaders.AUTHORIZATION)), address)) {
            case Verdict.Passed(Caller caller, Token token) -> {
                Optional<Problem> tooMany = counted ? limits.take(caller).map(Refusals::tooMany) : Optional.empty();
                yield tooMany.<Admission>map(Admission.Denied::new)
                        .orElseGet(() -> new Admission.Granted(caller, token));
            }
            case Verdict.Refused(TokenCheck.Refusal reason) -> new Admission.Denied(Refusals.badToken(reason));
            case Verdict.Undecided() -> new Admission.Denied(Refusals.tokenCannotBeChecked());
        };
    }
}
