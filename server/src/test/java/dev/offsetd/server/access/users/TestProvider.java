package dev.offsetd.server.access.users;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.interfaces.RSAPublicKey;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.OAuth2AuthorizationServerConfiguration;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.oidc.endpoint.OidcParameterNames;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.server.authorization.client.InMemoryRegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.settings.AuthorizationServerSettings;
import org.springframework.security.oauth2.server.authorization.settings.ClientSettings;
import org.springframework.security.oauth2.server.authorization.token.JwtEncodingContext;
import org.springframework.security.oauth2.server.authorization.token.OAuth2TokenCustomizer;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;

/** An OpenID Connect provider: Spring Authorization Server with a few users in groups. */
final class TestProvider implements AutoCloseable {

    static final String CLIENT = "offsetd";
    static final String SECRET = "client-secret";
    static final String PASSWORD = "provider-password";

    private static final Map<String, List<String>> GROUPS = Map.of(
            "olga", List.of("staff", "offsetd-admins"),
            "piet", List.of("staff", "offsetd-publishers"),
            "admin", List.of("offsetd-admins"),
            "nora", List.of("staff"));

    private final ConfigurableApplicationContext context;

    private TestProvider(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts a provider.
     *
     * @param clients base URLs of the servers that redirect users to it
     */
    static TestProvider start(int port, String... clients) {
        SpringApplication spring = new SpringApplication(Program.class);
        return new TestProvider(spring.run(
                // The settings of offsetd are on the class path too.
                "--spring.config.location=optional:classpath:/none/",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--test.issuer=" + issuer(port),
                "--test.clients=" + String.join(",", clients)));
    }

    static String issuer(int port) {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        context.close();
    }

    /** Not a {@code @Configuration}, which the server would find by component scan. */
    @ImportAutoConfiguration({
        TomcatServletWebServerAutoConfiguration.class,
        DispatcherServletAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        ServletWebSecurityAutoConfiguration.class,
        SecurityFilterAutoConfiguration.class
    })
    static class Program {

        @Bean
        SecurityFilterChain everything(HttpSecurity http) {
            http.oauth2AuthorizationServer(server -> server.oidc(Customizer.withDefaults()))
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
                    .httpBasic(basic -> basic.securityContextRepository(new HttpSessionSecurityContextRepository()));
            return http.build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(GROUPS.keySet().stream()
                    .map(name -> User.withUsername(name)
                            .password("{noop}" + PASSWORD)
                            .authorities("user")
                            .build())
                    .toList());
        }

        @Bean
        RegisteredClientRepository clients(Environment environment) {
            return new InMemoryRegisteredClientRepository(RegisteredClient.withId("1")
                    .clientId(CLIENT)
                    .clientSecret("{noop}" + SECRET)
                    .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
                    .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
                    .redirectUris(uris -> Stream.of(environment.getRequiredProperty("test.clients", String[].class))
                            .forEach(client -> uris.add(client + "/admin/oidc/callback")))
                    .scopes(scopes -> scopes.addAll(List.of("openid", "profile", "email")))
                    .clientSettings(ClientSettings.builder()
                            .requireProofKey(true)
                            .requireAuthorizationConsent(false)
                            .build())
                    .build());
        }

        @Bean
        OAuth2TokenCustomizer<JwtEncodingContext> claims() {
            return token -> {
                if (token.getTokenType().getValue().equals(OidcParameterNames.ID_TOKEN)) {
                    String name = Objects.requireNonNull(token.<Authentication>getPrincipal())
                            .getName();
                    token.getClaims()
                            .claim("preferred_username", name)
                            .claim("groups", Objects.requireNonNull(GROUPS.get(name)));
                }
            };
        }

        @Bean
        AuthorizationServerSettings settings(Environment environment) {
            return AuthorizationServerSettings.builder()
                    .issuer(environment.getRequiredProperty("test.issuer"))
                    .build();
        }

        @Bean
        JWKSource<SecurityContext> keys() throws NoSuchAlgorithmException {
            KeyPair pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
            return new ImmutableJWKSet<>(new JWKSet(new RSAKey.Builder((RSAPublicKey) pair.getPublic())
                    .privateKey(pair.getPrivate())
                    .keyID(UUID.randomUUID().toString())
                    .build()));
        }

        @Bean
        JwtDecoder decoder(JWKSource<SecurityContext> keys) {
            return OAuth2AuthorizationServerConfiguration.jwtDecoder(keys);
        }
    }
}
