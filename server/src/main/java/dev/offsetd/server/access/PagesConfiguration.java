package dev.offsetd.server.access;

import com.google.re2j.Pattern;
import dev.offsetd.server.database.Causes;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.dao.DataAccessException;
import org.springframework.security.config.annotation.authentication.builders.AuthenticationManagerBuilder;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRepository;
import org.springframework.security.web.csrf.HttpSessionCsrfTokenRepository;
import org.springframework.security.web.savedrequest.NullRequestCache;
import org.springframework.session.Session;
import org.springframework.session.config.SessionRepositoryCustomizer;
import org.springframework.session.jdbc.JdbcIndexedSessionRepository;
import org.springframework.session.jdbc.PostgreSqlJdbcIndexedSessionRepositoryCustomizer;
import org.springframework.session.jdbc.config.annotation.web.http.EnableJdbcHttpSession;
import org.springframework.session.web.http.CookieSerializer;
import org.springframework.session.web.http.DefaultCookieSerializer;
import org.springframework.session.web.http.SessionRepositoryFilter;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Security of the admin pages: sessions in the database. Tokens are not accepted here, nor sessions by the API. */
@Configuration(proxyBeanMethods = false)
@EnableJdbcHttpSession
class PagesConfiguration {

    /** Lifetime of a session before sign-in: long enough to sign in at a provider and come back. */
    private static final Duration BEFORE_SIGN_IN = Duration.ofMinutes(10);

    /** Inserts attributes by upsert: two requests of a session may write the same new attribute at the same time. */
    @Bean
    PostgreSqlJdbcIndexedSessionRepositoryCustomizer upsertSessionAttributes() {
        return new PostgreSqlJdbcIndexedSessionRepositoryCustomizer();
    }

    @Bean
    SessionRepositoryCustomizer<JdbcIndexedSessionRepository> sessionLifetime() {
        return sessions -> sessions.setDefaultMaxInactiveInterval(BEFORE_SIGN_IN);
    }

    /** Not {@code __Host-}: that requires the path / and TLS, which a server on a developer's machine lacks. */
    @Bean
    CookieSerializer sessionCookie() {
        DefaultCookieSerializer cookie = new SessionCookie();
        cookie.setCookieName("offsetd_session");
        cookie.setCookiePath(Routes.PAGES_PATH);
        cookie.setUseHttpOnlyCookie(true);
        cookie.setSameSite("Lax");
        return cookie;
    }

    @Bean
    FilterRegistrationBean<Filter> pageSessions(
            @Qualifier("springSessionRepositoryFilter") SessionRepositoryFilter<? extends Session> filter) {
        return forPages(filter, SessionRepositoryFilter.DEFAULT_ORDER);
    }

    @Bean
    FilterRegistrationBean<Filter> unwrittenPageSessions() {
        return forPages(new UnwrittenSessionFilter(), SessionRepositoryFilter.DEFAULT_ORDER - 1);
    }

    @Bean
    FilterRegistrationBean<Filter> pageHeaders() {
        return forPages(SecurityHeaders.ofPages(), SessionRepositoryFilter.DEFAULT_ORDER - 2);
    }

    private static FilterRegistrationBean<Filter> forPages(Filter filter, int order) {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
        registration.addUrlPatterns(Routes.PAGES_PATH, Routes.PAGES_PATH + "/*");
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
        registration.setOrder(order);
        return registration;
    }

    @Bean
    @Order(1)
    SecurityFilterChain pageSecurity(
            HttpSecurity http, UserSessions sessions, RateLimits limits, ObjectProvider<SignInMethod> signInMethods) {
        PageAccessHandler denied = new PageAccessHandler();
        http.securityMatcher(Routes.PAGES_PATH, Routes.PAGES_PATH + "/**")
                .securityContext(context -> context.securityContextRepository(sessions))
                .csrf(csrf -> csrf.csrfTokenRepository(new PageCsrf()))
                .requestCache(cache -> cache.requestCache(new NullRequestCache()))
                .servletApi(AbstractHttpConfigurer::disable)
                .headers(AbstractHttpConfigurer::disable)
                .authorizeHttpRequests(requests -> requests.anyRequest()
                        .access(new RouteAuthorization(Routes.PAGES, (_, required) -> Refusals.lackingRole(required))))
                .exceptionHandling(exceptions ->
                        exceptions.authenticationEntryPoint(denied).accessDeniedHandler(denied))
                .logout(logout -> logout.logoutUrl(Routes.SIGN_OUT_PATH)
                        .logoutSuccessHandler((request, response, _) ->
                                PageAccessHandler.redirect(request, response, Routes.SIGN_IN_PATH)))
                .addFilterBefore(new PageLimitFilter(limits), CsrfFilter.class);
        // Only the methods below sign users in; the global manager would try them a second time.
        http.getSharedObject(AuthenticationManagerBuilder.class).parentAuthenticationManager(null);
        signInMethods.forEach(method -> method.addTo(http));
        return http.build();
    }

    /**
     * CSRF tokens, in the session of a signed-in user and in a cookie before sign-in, so that a visit to the sign-in page writes
     * no row to the database.
     */
    private static final class PageCsrf implements CsrfTokenRepository {

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

    /**
     * The session cookie. Each id costs a database query, so malformed ids are ignored, and more than a browser would send: ours,
     * and cookies of the same name for parent domains.
     */
    static final class SessionCookie extends DefaultCookieSerializer {

        private static final int MAX_IDS = 4;

        private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

        @Override
        public List<String> readCookieValues(HttpServletRequest request) {
            return super.readCookieValues(request).stream()
                    .filter(id -> ID.matcher(id).matches())
                    .limit(MAX_IDS)
                    .toList();
        }
    }

    /**
     * Answers 503 if the session of a page cannot be looked up or saved. Spring Session saves when the response is committed, also that of an
     * error page, so this filter runs outside of Spring Session's. It saves once more at the end of the request: if only that
     * fails, the whole page has been sent, and breaking the connection would truncate it.
     */
    static final class UnwrittenSessionFilter extends OncePerRequestFilter {

        private static final Logger log = LoggerFactory.getLogger(UnwrittenSessionFilter.class);

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            try {
                chain.doFilter(request, response);
            } catch (ServletException | IOException | RuntimeException e) {
                Exception cause = ofDatabase(e);
                if (cause != null && response.isCommitted() && PageLimitFilter.hasAnswered(request)) {
                    log.warn("cannot save the session at the end of a request: {}", cause.getMessage());
                    return;
                }
                if (cause == null || response.isCommitted()) {
                    throw e;
                }
                response.reset();
                RefusedRequest.showWithoutSession(cause, request, response);
            }
        }

        private static @Nullable Exception ofDatabase(Exception e) {
            for (Throwable cause : Causes.of(e)) {
                if (cause instanceof DataAccessException || cause instanceof TransactionException) {
                    return (Exception) cause;
                }
            }
            return null;
        }
    }
}
