package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRepository;
import org.springframework.security.web.csrf.HttpSessionCsrfTokenRepository;

/**
 * CSRF tokens, in the session of a signed-in user and in a cookie before sign-in, so that a visit to the sign-in page writes
 * no row to the database.
 */
final class PageCsrf implements CsrfTokenRepository {

    private static final String HEADER = "X-CSRF-TOKEN";

    private final CookieCsrfTokenRepository inCookie = new CookieCsrfTokenRepository();
    private final HttpSessionCsrfTokenRepository inSession = new HttpSessionCsrfTokenRepository();

    PageCsrf() {
        inCookie.setCookieName("offsetd_csrf");
        inCookie.setCookiePath(Routes.PAGES_PATH);
        inCookie.setCookieCustomizer(cookie -> cookie.httpOnly(true).sameSite("Lax"));
        inCookie.setHeaderName(HEADER);
        inSession.setHeaderName(HEADER);
    }

    @Override
    public CsrfToken generateToken(HttpServletRequest request) {
        return of(request).generateToken(request);
    }

    @Override
    public void saveToken(@Nullable CsrfToken token, HttpServletRequest request, HttpServletResponse response) {
        of(request).saveToken(token, request, response);
    }

    @Override
    public @Nullable CsrfToken loadToken(HttpServletRequest request) {
        return of(request).loadToken(request);
    }

    private CsrfTokenRepository of(HttpServletRequest request) {
        return UserSessions.isOfUser(request.getSession(false)) ? inSession : inCookie;
    }
}
