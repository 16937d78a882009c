package dev.offsetd.server.access;

import dev.offsetd.server.web.ProblemResponse;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.Set;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.security.web.header.HeaderWriterFilter;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({AccessProperties.class, RateLimitProperties.class})
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

    @Bean
    Admissions admissions(TokenCheck tokens, RateLimits limits) {
        return new Admissions(tokens, limits);
    }

    @Bean
    BrowserRules browserRules() {
        return new BrowserRules();
    }

    @Bean
    ReadingGate readingGate(Admissions admissions, BrowserRules rules, AccessProperties access) {
        return new ReadingGate(admissions, rules, access.readAuth());
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> plainText(BrowserRules rules) {
        // Of the context, so that what is refused is timed, counted and logged before it.
        return tomcat -> tomcat.addContextValves(new RequestTextValve(rules));
    }

    /** The API: tokens only, no sessions, nothing served that is not in {@link Routes}. */
    @Bean
    SecurityFilterChain apiSecurity(
            HttpSecurity http, Admissions admissions, BrowserRules rules, AccessProperties access) {
        RouteAuthorization routes = new RouteAuthorization();
        http.sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                // No browser sends a bearer token by itself, so no other site can make it call us in its user's name.
                .csrf(AbstractHttpConfigurer::disable)
                .anonymous(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .securityContext(AbstractHttpConfigurer::disable)
                .servletApi(AbstractHttpConfigurer::disable)
                // Controllers say what may be cached.
                .headers(headers -> headers.defaultsDisabled().addHeaderWriter(rules))
                .authorizeHttpRequests(requests -> requests.anyRequest().access(routes))
                .exceptionHandling(exceptions -> exceptions.accessDeniedHandler(routes))
                .addFilterBefore(new BearerTokenFilter(admissions), AuthorizationFilter.class);
        if (access.readAuth()) {
            http.addFilterBefore(new PrivateAnswersFilter(), HeaderWriterFilter.class);
        }
        return http.build();
    }

    @Bean
    HttpFirewall httpFirewall() {
        StrictHttpFirewall firewall = new StrictHttpFirewall();
        // Which methods there are, the table of routes says: 405, not 400.
        firewall.setUnsafeAllowAnyHttpMethod(true);
        // RequestTextValve and PageTextFilter have looked at these, and name what is wrong. The firewall would look
        // again
        // wherever one is read, and what it throws there ends as a fault of the server.
        firewall.setAllowedHeaderNames(name -> true);
        firewall.setAllowedHeaderValues(value -> true);
        firewall.setAllowedParameterNames(name -> true);
        firewall.setAllowedParameterValues(value -> true);
        return firewall;
    }

    @Bean
    RequestRejectedHandler requestRejectedHandler() {
        return (request, response, _) -> ProblemResponse.write(Refusals.deceptive(), request, response);
    }
}
