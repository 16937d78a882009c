package dev.offsetd.server.access;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.session.config.SessionRepositoryCustomizer;
import org.springframework.session.jdbc.JdbcIndexedSessionRepository;
import org.springframework.session.jdbc.PostgreSqlJdbcIndexedSessionRepositoryCustomizer;
import org.springframework.session.jdbc.config.annotation.web.http.EnableJdbcHttpSession;
import org.springframework.session.web.http.CookieSerializer;
import org.springframework.session.web.http.DefaultCookieSerializer;
import org.springframework.session.web.http.SessionRepositoryFilter;

/** The pages for people: sessions in the database, and only there. What a session opens, a token does not, and the reverse. */
@Configuration(proxyBeanMethods = false)
@EnableJdbcHttpSession
@EnableConfigurationProperties(SessionProperties.class)
class PagesConfiguration {

    /** Of a session that belongs to nobody: the time to sign in somewhere else and come back. */
    private static final Duration BEFORE_SIGN_IN = Duration.ofMinutes(10);

    private static final String BELOW = Routes.PAGES_PATH + "/**";

    /** Two requests of a session may write the same attribute first; without it one of them is 500. */
    @Bean
    PostgreSqlJdbcIndexedSessionRepositoryCustomizer sessionsOfTwoRequestsAtOnce() {
        return new PostgreSqlJdbcIndexedSessionRepositoryCustomizer();
    }

    @Bean
    SessionRepositoryCustomizer<JdbcIndexedSessionRepository> sessionLifetime() {
        return sessions -> sessions.setDefaultMaxInactiveInterval(BEFORE_SIGN_IN);
    }

    /** Not {@code __Host-}: that wants the path / and TLS, and a server on one's own machine has none. */
    @Bean
    CookieSerializer sessionCookie() {
        DefaultCookieSerializer cookie = new SessionCookie();
        cookie.setCookieName("offsetd_session");
        cookie.setCookiePath(Routes.PAGES_PATH);
        cookie.setUseHttpOnlyCookie(true);
        cookie.setSameSite("Lax");
        return cookie;
    }

    /** No other path than those of the pages has sessions. */
    @Bean
    FilterRegistrationBean<Filter> sessionsOfPages(
            @Qualifier("springSessionRepositoryFilter") SessionRepositoryFilter<? extends Session> filter) {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
        registration.addUrlPatterns(Routes.PAGES_PATH, Routes.PAGES_PATH + "/*");
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
        registration.setOrder(SessionRepositoryFilter.DEFAULT_ORDER);
        return registration;
    }

    @Bean
    FilterRegistrationBean<Filter> unwrittenSessionsOfPages() {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(new UnwrittenSessionFilter());
        registration.addUrlPatterns(Routes.PAGES_PATH, Routes.PAGES_PATH + "/*");
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
        registration.setOrder(SessionRepositoryFilter.DEFAULT_ORDER - 1);
        return registration;
    }

    @Bean
    PageCsrf pageCsrf() {
        return new PageCsrf();
    }

    @Bean
    UserSessions userSessions(
            FindByIndexNameSessionRepository<? extends Session> sessions,
            UserDirectory users,
            SessionProperties properties,
            PageCsrf csrf) {
        return new UserSessions(sessions, users, properties, csrf, Clock.systemUTC());
    }

    @Bean
    @Order(1)
    SecurityFilterChain pageSecurity(
            HttpSecurity http,
            UserSessions sessions,
            RateLimits limits,
            PageCsrf csrf,
            ObjectProvider<OtherSignIn> others) {
        PageAuthorization pages = new PageAuthorization();
        http.securityMatcher(Routes.PAGES_PATH, BELOW)
                // A session belongs to a user from its first request on: UserSessions makes a new one at each sign-in.
                .sessionManagement(AbstractHttpConfigurer::disable)
                .csrf(forms -> forms.csrfTokenRepository(csrf))
                .anonymous(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .securityContext(AbstractHttpConfigurer::disable)
                .servletApi(AbstractHttpConfigurer::disable)
                .headers(headers -> headers.defaultsDisabled().addHeaderWriter(new PageRules()))
                .authorizeHttpRequests(requests -> requests.anyRequest().access(pages))
                .exceptionHandling(exceptions -> exceptions.accessDeniedHandler(pages))
                .addFilterBefore(new SessionFilter(sessions, limits), CsrfFilter.class)
                .addFilterBefore(new PageTextFilter(), CsrfFilter.class);
        others.forEach(other -> other.addTo(http));
        return http.build();
    }
}
