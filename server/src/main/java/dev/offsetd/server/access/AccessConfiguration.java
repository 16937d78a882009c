package dev.offsetd.server.access;

import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.ProblemBody;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.time.Clock;
import java.util.Set;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AuthenticationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.web.filter.CorsFilter;

@Configuration(proxyBeanMethods = false)
class AccessConfiguration {

    @Bean
    TokenCheck tokenCheck(TokenDirectory tokens, AccessProperties access, MeterRegistry meters) {
        Set<Scope> anonymous = access.readAuth() ? Set.of() : Set.of(Scope.READ);
        return new TokenCheck(tokens, Clock.systemUTC(), anonymous, meters);
    }

    @Bean
    RateLimits rateLimits(RateLimitProperties limits, AccessProperties access, MeterRegistry meters) {
        boolean behindProxies = !access.trustedProxies().isEmpty();
        return new RateLimits(
                limits.tokenRequests(),
                limits.tokenBurst(),
                limits.addressRequests(behindProxies),
                limits.addressBurst(),
                meters);
    }

    /** Registers CORS before the filter of cached answers, whose order is the next one. */
    @Bean
    FilterRegistrationBean<CorsFilter> readingOrigins(CorsProperties cors) {
        FilterRegistrationBean<CorsFilter> registration =
                register(ReadingOrigins.filter(cors.allowedOrigins()), Ordered.HIGHEST_PRECEDENCE);
        registration.setEnabled(!cors.allowedOrigins().isEmpty());
        return registration;
    }

    /** Registers the filter of private answers before the filter of cached answers. */
    @Bean
    FilterRegistrationBean<PrivateAnswersFilter> privateAnswers(AccessProperties access) {
        return register(new PrivateAnswersFilter(access.readAuth()), Ordered.HIGHEST_PRECEDENCE);
    }

    /** Registers the filter of bodies after Spring Security, which knows the caller. */
    @Bean
    FilterRegistrationBean<BodyFilter> pacedBodies(
            BodyProperties limits, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        return register(new BodyFilter(limits, threads::answer), Ordered.LOWEST_PRECEDENCE);
    }

    private static <F extends Filter> FilterRegistrationBean<F> register(F filter, int order) {
        FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
        registration.setDispatcherTypes(DispatcherType.REQUEST);
        registration.setOrder(order);
        return registration;
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> requestPaths(BodyProperties limits) {
        return tomcat -> tomcat.addConnectorCustomizers(RequestPathAdapter::install, connector -> {
            // Silence of the sender of a body; before a request, the timeout of the connection holds.
            connector.setProperty("disableUploadTimeout", "false");
            connector.setProperty(
                    "connectionUploadTimeout",
                    Long.toString(Math.min(Integer.MAX_VALUE, limits.grace().toMillis())));
        });
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> plainText() {
        // A context valve, so that the engine's valves time, count and log refused requests.
        return tomcat -> tomcat.addContextValves(new RequestTextValve());
    }

    /** The API accepts tokens only, has no sessions, and serves nothing outside {@link Routes}. */
    @Bean
    SecurityFilterChain apiSecurity(HttpSecurity http, ApiAuthenticator authenticator) {
        RouteAuthorization routes = new RouteAuthorization(
                Routes.API,
                (caller, scope) -> caller.token() == null ? Refusals.noToken(scope) : Refusals.lackingScope(scope));
        AuthenticationFilter tokens =
                new AuthenticationFilter((AuthenticationManager) authenticated -> authenticated, authenticator);
        tokens.setSuccessHandler((_, _, _) -> {});
        tokens.setFailureHandler((request, response, refused) ->
                ProblemBody.write(((RefusedAuthentication) refused).problem(), request, response));
        http.sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                // Browsers send no bearer token on their own, so other sites cannot forge requests.
                .csrf(AbstractHttpConfigurer::disable)
                .anonymous(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .securityContext(AbstractHttpConfigurer::disable)
                .servletApi(AbstractHttpConfigurer::disable)
                .headers(AbstractHttpConfigurer::disable)
                .authorizeHttpRequests(requests -> requests.anyRequest().access(routes))
                .exceptionHandling(exceptions ->
                        exceptions.accessDeniedHandler((request, response, denied) -> ProblemBody.write(
                                RouteAuthorization.problemOf(denied)
                                        .orElseGet(() -> Refusals.noRoute(request.getRequestURI())),
                                request,
                                response)))
                .addFilterAt(tokens, AuthenticationFilter.class);
        return http.build();
    }

    @Bean
    HttpFirewall httpFirewall() {
        StrictHttpFirewall firewall = new StrictHttpFirewall();
        // The route table knows the methods, and answers 405 instead of 400.
        firewall.setUnsafeAllowAnyHttpMethod(true);
        // RequestTextValve and PageLimitFilter have checked these, and report the position. The firewall would check
        // again at each read, and its exception there would become a 500.
        firewall.setAllowedHeaderNames(name -> true);
        firewall.setAllowedHeaderValues(value -> true);
        firewall.setAllowedParameterNames(name -> true);
        firewall.setAllowedParameterValues(value -> true);
        return firewall;
    }

    @Bean
    RequestRejectedHandler requestRejectedHandler() {
        return (request, response, _) -> ProblemBody.write(Refusals.deceptive(), request, response);
    }
}
