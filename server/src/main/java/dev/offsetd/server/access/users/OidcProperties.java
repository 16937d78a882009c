package dev.offsetd.server.access.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Scope;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The OpenID Connect provider.
 *
 * @param issuer URL of the provider, the prefix of {@code .well-known/openid-configuration}; null for none
 * @param clientSecret null for a public client
 * @param title name of the provider on the sign-in page
 * @param nameClaim claim with the user name
 * @param roleClaim claim with one or more values that map to roles; {@code a.b} is b within a
 * @param readValues values that map to the role read
 * @param publishValues values that map to the role publish
 * @param adminValues values that map to the role admin
 * @param defaultRole role of users with none of these values; null to refuse them
 * @param allowedNetworks private networks, in CIDR notation, of servers that the provider's metadata may name
 */
@ConfigurationProperties("offsetd.oidc")
public record OidcProperties(
        @Nullable String issuer,
        @DefaultValue("") String clientId,
        @Nullable String clientSecret,
        @DefaultValue("single sign-on") String title,
        @DefaultValue({"openid", "profile", "email"}) List<String> scopes,
        @DefaultValue("preferred_username") String nameClaim,
        @DefaultValue("groups") String roleClaim,
        @DefaultValue List<String> readValues,
        @DefaultValue List<String> publishValues,
        @DefaultValue List<String> adminValues,
        @Nullable Scope defaultRole,
        @DefaultValue List<String> allowedNetworks) {

    public OidcProperties {
        if (issuer != null && !issuer.isEmpty() && clientId.isEmpty()) {
            throw new IllegalArgumentException(
                    "offsetd.oidc.client-id is missing; expected it beside offsetd.oidc.issuer");
        }
        if (issuer != null && !issuer.isEmpty() && !isHttp(issuer)) {
            throw new IllegalArgumentException(
                    "offsetd.oidc.issuer is " + HostileText.quote(issuer) + "; expected an https URL");
        }
    }

    private static boolean isHttp(String url) {
        try {
            URI parsed = new URI(url);
            return parsed.getHost() != null
                    && ("https".equalsIgnoreCase(parsed.getScheme()) || "http".equalsIgnoreCase(parsed.getScheme()));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * A user authenticated by the provider.
     *
     * @param subject identifies the user at the provider; unlike the name, it is never reassigned (OpenID Connect Core section 5.7)
     * @param name untrusted text
     */
    public record ProviderUser(String issuer, String subject, String name, Scope role) {}

    /** Returns whether a provider is configured. */
    public boolean isOn() {
        return issuer != null && !issuer.isEmpty();
    }

    /** Returns the user with these claims; empty without a name or a role. */
    public Optional<ProviderUser> user(String subject, Map<String, Object> claims) {
        if (issuer == null || !(claims.get(nameClaim) instanceof String name)) {
            return Optional.empty();
        }
        return role(claims).map(role -> new ProviderUser(issuer, subject, name, role));
    }

    private Optional<Scope> role(Map<String, Object> claims) {
        Collection<?> values = values(claims);
        if (values.stream().anyMatch(adminValues::contains)) {
            return Optional.of(Scope.ADMIN);
        }
        if (values.stream().anyMatch(publishValues::contains)) {
            return Optional.of(Scope.PUBLISH);
        }
        if (values.stream().anyMatch(readValues::contains)) {
            return Optional.of(Scope.READ);
        }
        return Optional.ofNullable(defaultRole);
    }

    private Collection<?> values(Map<String, Object> claims) {
        Object value = claims;
        // A claim name may contain dots: some providers use URLs.
        if (claims.containsKey(roleClaim)) {
            value = claims.get(roleClaim);
        } else {
            for (String name : roleClaim.split("\\.", -1)) {
                value = value instanceof Map<?, ?> object ? object.get(name) : null;
            }
        }
        return switch (value) {
            case Collection<?> many -> many;
            case String one -> List.of(one);
            case null, default -> List.of();
        };
    }
}
