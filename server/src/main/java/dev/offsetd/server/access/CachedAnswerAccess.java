package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;

/**
 * Access check of cached answers, which are sent before Spring Security's filters run. It decides as the filters would, and
 * writes the same headers. A request that may not read is passed on to the filters, which answer it.
 */
public final class CachedAnswerAccess {

    private final ApiAuthenticator authenticator;
    private final BrowserRules rules;
    private final boolean closed;

    /** @param closed whether reading needs a token */
    CachedAnswerAccess(ApiAuthenticator authenticator, BrowserRules rules, boolean closed) {
        this.authenticator = authenticator;
        this.rules = rules;
        this.closed = closed;
    }

    /** Returns whether the caller may read. The request counts against its limit once, even if it is passed on. */
    public boolean mayRead(HttpServletRequest request) {
        try {
            return authenticator
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
