package dev.offsetd.server.admin.signin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.OtherSignIn;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.admin.shell.LocalPath;
import dev.offsetd.server.users.OidcProperties;
import dev.offsetd.server.users.ProviderUser;
import dev.offsetd.server.users.RefusedException;
import dev.offsetd.server.users.SignIns;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.RequestEntity;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.userinfo.DefaultOAuth2UserService;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtDecoderFactory;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.stereotype.Component;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/**
 * Signs people in by the OpenID Connect provider, if one is configured (authorization code with PKCE). The provider is
 * asked about itself when the first one comes: a server starts without it.
 */
@Component
class ProviderSignIn implements OtherSignIn, JwtDecoderFactory<ClientRegistration> {

    static final String AUTHORIZE_PATH = "/admin/oidc/authorize";

    private static final Logger log = LoggerFactory.getLogger(ProviderSignIn.class);

    private static final String REGISTRATION = "provider";
    private static final String CALLBACK_PATH = "/admin/oidc/callback";
    private static final String NEXT = "offsetd.next";
    /** Requests that a visit counts as: it leaves a row in the database for ten minutes, whoever comes. */
    private static final int VISIT_REQUESTS = 1000;

    private final OidcProperties properties;
    private final SignIns signIns;
    private final UserSessions sessions;
    private final RateLimits limits;
    private final SingletonSupplier<RestTemplate> http =
            SingletonSupplier.of(() -> new RestTemplate(ProviderHttp.requests()));
    private final SingletonSupplier<ClientRegistration> registration = SingletonSupplier.of(this::discover);
    private final SingletonSupplier<JwtDecoder> decoder = SingletonSupplier.of(this::decoder);

    ProviderSignIn(OidcProperties properties, SignIns signIns, UserSessions sessions, RateLimits limits) {
        this.limits = limits;
        this.properties = properties;
        this.signIns = signIns;
        this.sessions = sessions;
    }

    /** What the provider is called; empty if there is none. */
    Optional<String> title() {
        return properties.isOn() ? Optional.of(properties.title()) : Optional.empty();
    }

    /**
     * Gets ready to send somebody to the provider.
     *
     * @param next where to go on to afterwards; a path of ours
     * @return where to send the browser now; empty if the provider cannot be reached
     */
    Optional<String> begin(HttpServletRequest request, String next) {
        try {
            registration.obtain();
        } catch (RuntimeException e) {
            log.warn("the OpenID Connect provider {} cannot be asked about itself: {}", properties.issuer(), text(e));
            return Optional.empty();
        }
        limits.charge(Caller.of(request), VISIT_REQUESTS);
        request.getSession(true).setAttribute(NEXT, next);
        return Optional.of(AUTHORIZE_PATH + '/' + REGISTRATION);
    }

    @Override
    public void addTo(HttpSecurity pages) {
        if (!properties.isOn()) {
            return;
        }
        ClientRegistrationRepository registrations = id -> id.equals(REGISTRATION) ? registration.obtain() : null;
        DefaultOAuth2AuthorizationRequestResolver requests =
                new DefaultOAuth2AuthorizationRequestResolver(registrations, AUTHORIZE_PATH);
        requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
        pages.oauth2Login(login -> login.clientRegistrationRepository(registrations)
                .authorizedClientRepository(new NoTokensKept())
                .loginPage("/admin/sign-in")
                .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(new OnlyAfterBegin(requests)))
                .redirectionEndpoint(endpoint -> endpoint.baseUri(CALLBACK_PATH))
                .tokenEndpoint(endpoint -> endpoint.accessTokenResponseClient(tokens()))
                .userInfoEndpoint(endpoint -> endpoint.oidcUserService(userInfo()))
                .successHandler(this::succeeded)
                .failureHandler(this::failed));
    }

    /** Reads the provider's metadata below the issuer's URL (OpenID Connect Discovery 1.0, section 4). */
    private ClientRegistration discover() {
        String issuer = String.valueOf(properties.issuer());
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        Map<String, Object> metadata = http.obtain()
                .exchange(
                        RequestEntity.get(URI.create(base + "/.well-known/openid-configuration"))
                                .build(),
                        new ParameterizedTypeReference<Map<String, Object>>() {})
                .getBody();
        Object named = metadata == null ? null : metadata.get("issuer");
        if (metadata == null || !issuer.equals(named)) {
            throw new IllegalStateException(
                    "the issuer is " + HostileText.quote(String.valueOf(named)) + "; expected " + issuer);
        }
        return ClientRegistrations.fromOidcConfiguration(metadata)
                .registrationId(REGISTRATION)
                .clientId(properties.clientId())
                .clientSecret(properties.clientSecret())
                .scope(properties.scopes())
                .redirectUri("{baseUrl}" + CALLBACK_PATH)
                .build();
    }

    private void succeeded(HttpServletRequest request, HttpServletResponse response, Authentication authentication)
            throws IOException {
        if (!(authentication.getPrincipal() instanceof OidcUser user)) {
            signIns.countProviderRefusal();
            redirect(response, SignInController.failure("provider"));
            return;
        }
        HttpSession before = request.getSession(false);
        String next = LocalPath.of(before != null && before.getAttribute(NEXT) instanceof String path ? path : null);
        Optional<ProviderUser> vouched = properties.user(user.getName(), user.getClaims());
        if (vouched.isEmpty()) {
            log.warn(
                    "{} of the OpenID Connect provider has no name or no role here", HostileText.quote(user.getName()));
            signIns.countProviderRefusal();
            redirect(response, SignInController.failure("role"));
            return;
        }
        try {
            sessions.begin(request, response, signIns.admit(vouched.get(), Caller.of(request), RequestIds.of(request)));
            redirect(response, next);
        } catch (RefusedException e) {
            log.warn("a user of the OpenID Connect provider is not let in: {}", e.getMessage());
            redirect(response, SignInController.failure("refused"));
        }
    }

    private void failed(HttpServletRequest request, HttpServletResponse response, AuthenticationException e)
            throws IOException {
        log.warn("nobody is signed in by the OpenID Connect provider: {}", text(e));
        signIns.countProviderRefusal();
        redirect(response, SignInController.failure("provider"));
    }

    private static void redirect(HttpServletResponse response, String path) {
        response.setStatus(HttpStatus.SEE_OTHER.value());
        response.setHeader(HttpHeaders.LOCATION, path);
    }

    /** What a provider says may be anything. */
    private static String text(Exception e) {
        return HostileText.quote(String.valueOf(e.getMessage()));
    }

    private static RestClientAuthorizationCodeTokenResponseClient tokens() {
        RestClientAuthorizationCodeTokenResponseClient tokens = new RestClientAuthorizationCodeTokenResponseClient();
        tokens.setRestClient(RestClient.builder()
                .requestFactory(ProviderHttp.requests())
                .configureMessageConverters(converters -> converters
                        .addCustomConverter(new FormHttpMessageConverter())
                        .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
                .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
                .build());
        return tokens;
    }

    private static OidcUserService userInfo() {
        RestTemplate rest = new RestTemplate(ProviderHttp.requests());
        rest.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService plain = new DefaultOAuth2UserService();
        plain.setRestOperations(rest);
        OidcUserService service = new OidcUserService();
        service.setOauth2UserService(plain);
        return service;
    }

    /** Verifies the provider's tokens as Spring Security does by default, but fetches the keys by {@link ProviderHttp}. */
    @Override
    public JwtDecoder createDecoder(ClientRegistration provider) {
        return decoder.obtain();
    }

    private JwtDecoder decoder() {
        ClientRegistration provider = registration.obtain();
        NimbusJwtDecoder verified = NimbusJwtDecoder.withJwkSetUri(
                        String.valueOf(provider.getProviderDetails().getJwkSetUri()))
                .jwsAlgorithm(SignatureAlgorithm.RS256)
                .restOperations(http.obtain())
                .build();
        verified.setJwtValidator(
                JwtValidators.createDefaultWithValidators(List.of(new OidcIdTokenValidator(provider))));
        verified.setClaimSetConverter(OidcIdTokenDecoderFactory.createDefaultClaimTypeConverter());
        return verified;
    }

    /** Sends nobody to the provider who did not come by the sign-in page. */
    private record OnlyAfterBegin(OAuth2AuthorizationRequestResolver requests)
            implements OAuth2AuthorizationRequestResolver {

        @Override
        public @Nullable OAuth2AuthorizationRequest resolve(HttpServletRequest request) {
            return hasBegun(request) ? requests.resolve(request) : null;
        }

        @Override
        public @Nullable OAuth2AuthorizationRequest resolve(HttpServletRequest request, String registrationId) {
            return hasBegun(request) ? requests.resolve(request, registrationId) : null;
        }

        private static boolean hasBegun(HttpServletRequest request) {
            HttpSession session = request.getSession(false);
            return session != null && session.getAttribute(NEXT) != null;
        }
    }

    /** Once it is known who somebody is, the provider is not asked again. */
    private static final class NoTokensKept implements OAuth2AuthorizedClientRepository {

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // the signature is the interface's
        public <T extends OAuth2AuthorizedClient> @Nullable T loadAuthorizedClient(
                String registrationId, Authentication principal, HttpServletRequest request) {
            return null;
        }

        @Override
        public void saveAuthorizedClient(
                OAuth2AuthorizedClient client,
                Authentication principal,
                HttpServletRequest request,
                HttpServletResponse response) {
            // Nothing is kept.
        }

        @Override
        public void removeAuthorizedClient(
                String registrationId,
                Authentication principal,
                HttpServletRequest request,
                HttpServletResponse response) {
            // Nothing was kept.
        }
    }
}
