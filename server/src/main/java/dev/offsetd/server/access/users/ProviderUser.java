package dev.offsetd.server.access.users;

import dev.offsetd.server.access.Scope;

/**
 * A user authenticated by an OpenID Connect provider.
 *
 * @param subject identifies the user at the provider; unlike the name, it is never reassigned (OpenID Connect Core section 5.7)
 * @param name untrusted text
 */
public record ProviderUser(String issuer, String subject, String name, Scope role) {}
