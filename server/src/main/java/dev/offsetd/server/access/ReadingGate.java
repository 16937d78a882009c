package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;

/**
 * Admission of readers for cached answers, which are sent before Spring Security's filters run. It decides as the filters
 * would, and writes the same headers. A request that it does not admit is passed on to the filters, which answer it.
 */
public final class ReadingGate {

    private final Admissions admissions;
    private final BrowserRules rules;
    private final boolean closed;

    /** @param closed whether reading needs a token */
    ReadingGate(Admissions admissions, BrowserRules rules, boolean closed) {
        this.admissions = admissions;
        this.rules = rules;
        this.closed = closed;
    }

    /** Returns whether the caller may read. The request counts against its limit once, even if it is passed on. */
    public boolean admits(HttpServletRequest request) {
        try {
            return admissions
                    .authenticate(request, true)
                    .getPrincipal()
                    .scopes()
                    .contains(Scope.READ);
        } catch (RefusedAuthentication e) {
            return false;
        }
    }

    /** Writes the headers of every answer, with {@code Vary} if reading needs a token. */
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        if (closed) {
            response.addHeader(HttpHeaders.VARY, PrivateAnswersFilter.VARY);
        }
        rules.writeHeaders(request, response);
    }

    /** Returns the {@code Cache-Control} of an answer, given its value if reading is open. */
    public String cacheControl(String open) {
        return closed ? PrivateAnswersFilter.closed(open) : open;
    }
}
