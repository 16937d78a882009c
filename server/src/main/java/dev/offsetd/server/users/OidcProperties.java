package dev.offsetd.server.users;

import dev.offsetd.server.access.Scope;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The OpenID Connect provider by which people can sign in.
 *
 * @param issuer its URL, below which {@code .well-known/openid-configuration} is; null for none
 * @param clientId what it knows us by
 * @param clientSecret null for a public client
 * @param title what the sign-in page calls it
 * @param scopes what it is asked for
 * @param nameClaim claim with the user's name
 * @param roleClaim claim with one or more values that stand for roles; {@code a.b} is b within a
 * @param readValues values that stand for the role read
 * @param publishValues values that stand for the role publish
 * @param adminValues values that stand for the role admin
 * @param defaultRole of users with none of these values; null to let none of them in
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
        @Nullable Scope defaultRole) {

    public OidcProperties {
        if (issuer != null && !issuer.isEmpty() && clientId.isEmpty()) {
            throw new IllegalArgumentException(
                    "offsetd.oidc.client-id is missing; expected it beside offsetd.oidc.issuer");
        }
    }

    /** Whether there is one. */
    public boolean isOn() {
        return issuer != null && !issuer.isEmpty();
    }

    /** Who the claims of a user say that the user is; empty if nobody who has a role here. */
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
        // A name with dots in it may be one claim; some providers name theirs by URLs.
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
