package dev.offsetd.server.admin.signin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.access.SignInMethod;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSessions.SignedIn;
import dev.offsetd.server.access.users.OidcProperties;
import dev.offsetd.server.access.users.OidcProperties.ProviderUser;
import dev.offsetd.server.access.users.RefusedException;
import dev.offsetd.server.access.users.SignIns;
import dev.offsetd.server.admin.LocalPath;
import dev.offsetd.server.admin.SeeOther;
import dev.offsetd.server.sources.http.AddressRules;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpMethod;
import org.springframework.http.RequestEntity;
import org.springframework.http.client.ClientHttpRequestFactory;
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
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.oidc.user.DefaultOidcUser;
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
 * Sign-in at the OpenID Connect provider, if one is configured: authorization code flow with PKCE. The provider's metadata is
 * read at the first sign-in, so that a server starts without it, and again after a sign-in that fails at the provider.
 */
@Component
class ProviderSignIn implements SignInMethod, JwtDecoderFactory<ClientRegistration> {

    /** Path that sends the browser to the provider. */
    static final String PATH = SignInController.PATH + "/provider";

    private static final Logger log = LoggerFactory.getLogger(ProviderSignIn.class);

    private static final String REGISTRATION = "provider";
    private static final String CALLBACK_PATH = "/admin/oidc/callback";

    /** Session attribute with the page to show after sign-in. */
    private static final String NEXT = "offsetd.next";

    /** Requests that a sign-in attempt counts as, because anyone can begin one, and each stores a session for ten minutes. */
    private static final int ATTEMPT_REQUESTS = 1000;

    private static final int MAX_REASON_CHARS = 600;

    private final OidcProperties properties;
    private final SignIns signIns;
    private final RateLimits limits;

    /** The current request. */
    private final HttpServletRequest current;

    private final SingletonSupplier<RestTemplate> http = SingletonSupplier.of(() -> new RestTemplate(requests()));
    private volatile SingletonSupplier<ClientRegistration> registration = SingletonSupplier.of(this::discover);
    private volatile SingletonSupplier<JwtDecoder> decoder = SingletonSupplier.of(this::decoder);

    ProviderSignIn(OidcProperties properties, SignIns signIns, RateLimits limits, HttpServletRequest current) {
        this.properties = properties;
        this.signIns = signIns;
        this.limits = limits;
        this.current = current;
    }

    /** Returns the provider's name; empty if none is configured. */
    Optional<String> title() {
        return properties.isOn() ? Optional.of(properties.title()) : Optional.empty();
    }

    @Override
    public void addTo(HttpSecurity pages) {
        if (!properties.isOn()) {
            return;
        }
        ClientRegistrationRepository registrations = id -> id.equals(REGISTRATION) ? registration.obtain() : null;
        OidcUserService claims = claims();
        pages.oauth2Login(login -> login.clientRegistrationRepository(registrations)
                .authorizedClientRepository(new NoStoredTokens())
                .loginPage(SignInController.PATH)
                .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(
                        new Beginning(new DefaultOAuth2AuthorizationRequestResolver(registrations))))
                .redirectionEndpoint(endpoint -> endpoint.baseUri(CALLBACK_PATH))
                .tokenEndpoint(endpoint -> endpoint.accessTokenResponseClient(tokens()))
                .userInfoEndpoint(endpoint -> endpoint.oidcUserService(request -> admit(claims.loadUser(request))))
                .successHandler((request, response, _) -> SeeOther.send(response, LocalPath.of(next(request))))
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
        ClientRegistration provider = ClientRegistrations.fromOidcConfiguration(metadata)
                .registrationId(REGISTRATION)
                .clientId(properties.clientId())
                .clientSecret(properties.clientSecret())
                .scope(properties.scopes())
                .redirectUri("{baseUrl}" + CALLBACK_PATH)
                .build();
        ClientRegistration.ProviderDetails details = provider.getProviderDetails();
        Stream.of(
                        details.getTokenUri(),
                        details.getJwkSetUri(),
                        details.getUserInfoEndpoint().getUri())
                .filter(Objects::nonNull)
                .forEach(endpoint -> require(URI.create(endpoint), URI.create(issuer)));
        return provider;
    }

    private void require(URI endpoint, URI issuer) {
        try {
            ProviderHttp.require(endpoint, issuer, elsewhere());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private AddressRules elsewhere() {
        return new AddressRules("offsetd.oidc.allowed-networks", properties.allowedNetworks());
    }

    private OidcUser admit(OidcUser claims) {
        ProviderUser vouched = properties
                .user(claims.getName(), claims.getClaims())
                .orElseThrow(() -> new SignInRefused(
                        "role", HostileText.quote(claims.getName()) + " has no name or no role here"));
        try {
            return new ProviderPrincipal(claims, signIns.admit(vouched, Actor.of(current)));
        } catch (RefusedException e) {
            throw new SignInRefused("refused", String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable String next(HttpServletRequest request) {
        HttpSession session = request.getSession();
        String next = session.getAttribute(NEXT) instanceof String path ? path : null;
        session.removeAttribute(NEXT);
        return next;
    }

    private void failed(HttpServletRequest request, HttpServletResponse response, AuthenticationException e) {
        signIns.countProviderRefusal();
        if (e instanceof SignInRefused refused) {
            log.warn("user of the OpenID Connect provider not admitted: {}", e.getMessage());
            SeeOther.send(response, SignInController.failure(refused.reason));
        } else {
            log.warn("sign-in at the OpenID Connect provider failed: {}", text(e));
            if (e.getCause() != null) {
                // A request or a check failed, perhaps because the provider's metadata have changed.
                registration = SingletonSupplier.of(this::discover);
                decoder = SingletonSupplier.of(this::decoder);
            }
            SeeOther.send(response, SignInController.failure("provider"));
        }
    }

    /** Returns the message of an exception, and those of its causes. */
    private static String text(Exception e) {
        String text = String.valueOf(e.getMessage()).strip();
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            String reason =
                    Objects.toString(cause.getMessage(), cause.getClass().getSimpleName());
            text += text.contains(reason) ? "" : ": " + reason;
        }
        return HostileText.quote(text, MAX_REASON_CHARS);
    }

    private ClientHttpRequestFactory requests() {
        return ProviderHttp.requests(URI.create(String.valueOf(properties.issuer())), elsewhere());
    }

    private RestClientAuthorizationCodeTokenResponseClient tokens() {
        RestClientAuthorizationCodeTokenResponseClient tokens = new RestClientAuthorizationCodeTokenResponseClient();
        tokens.setRestClient(RestClient.builder()
                .requestFactory(requests())
                .configureMessageConverters(converters -> converters
                        .addCustomConverter(new FormHttpMessageConverter())
                        .addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
                .defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
                .build());
        return tokens;
    }

    private OidcUserService claims() {
        RestTemplate rest = new RestTemplate(requests());
        rest.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService plain = new DefaultOAuth2UserService();
        plain.setRestOperations(rest);
        OidcUserService service = new OidcUserService();
        service.setOauth2UserService(plain);
        return service;
    }

    /** Verifies ID tokens as Spring Security does by default, but fetches the keys through {@link ProviderHttp}. */
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

    /** Begins a sign-in for a request to {@link #PATH}. {@link SignInController} answers if the provider cannot be reached. */
    private final class Beginning implements OAuth2AuthorizationRequestResolver {

        private final OAuth2AuthorizationRequestResolver requests;

        Beginning(OAuth2AuthorizationRequestResolver requests) {
            this.requests = requests;
        }

        @Override
        public @Nullable OAuth2AuthorizationRequest resolve(HttpServletRequest request) {
            if (!request.getRequestURI().equals(PATH) || HttpMethod.POST.matches(request.getMethod())) {
                return null;
            }
            OAuth2AuthorizationRequest begun;
            try {
                begun = requests.resolve(request, REGISTRATION);
            } catch (RuntimeException e) {
                log.warn(
                        "cannot read the metadata of the OpenID Connect provider {}: {}", properties.issuer(), text(e));
                return null;
            }
            limits.charge(Caller.of(request), ATTEMPT_REQUESTS);
            request.getSession(true).setAttribute(NEXT, LocalPath.of(request.getParameter("next")));
            return begun;
        }

        @Override
        public @Nullable OAuth2AuthorizationRequest resolve(HttpServletRequest request, String registrationId) {
            return null;
        }
    }

    /** A user who signed in at the provider and is not admitted here. */
    private static final class SignInRefused extends AuthenticationException {

        private final String reason;

        SignInRefused(String reason, String message) {
            super(message);
            this.reason = reason;
        }
    }

    private static final class ProviderPrincipal extends DefaultOidcUser implements SignedIn {

        private final transient User user;

        ProviderPrincipal(OidcUser claims, User user) {
            super(claims.getAuthorities(), claims.getIdToken(), claims.getUserInfo());
            this.user = user;
        }

        @Override
        public User user() {
            return user;
        }
    }

    /** Stores no access tokens: the server does not query the provider after sign-in. */
    private static final class NoStoredTokens implements OAuth2AuthorizedClientRepository {

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
            // Nothing is stored.
        }

        @Override
        public void removeAuthorizedClient(
                String registrationId,
                Authentication principal,
                HttpServletRequest request,
                HttpServletResponse response) {
            // Nothing was stored.
        }
    }
}
