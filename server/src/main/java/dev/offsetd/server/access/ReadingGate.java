package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;

/**
 * Lets those in who may read, for answers that go out before Spring Security is asked. It decides and says what the chain of
 * filters would; a request that it does not let in is passed on, and hears from the chain why.
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

    /** Whether whoever sends this request may read, now. It counts as one request, also if it is passed on. */
    public boolean admits(HttpServletRequest request) {
        return admissions.of(request, true) instanceof Admission.Granted granted
                && granted.caller().scopes().contains(Scope.READ);
    }

    /** Sets the headers that every answer has, and adds that it depends on its caller if reading is closed. */
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        if (closed) {
            response.addHeader(HttpHeaders.VARY, PrivateAnswersFilter.VARY);
        }
        rules.writeHeaders(request, response);
    }

    /** What answers to readers say in {@code Cache-Control}, given what they would if reading is open. */
    public String cacheControl(String open) {
        return closed ? PrivateAnswersFilter.closed(open) : open;
    }
}
