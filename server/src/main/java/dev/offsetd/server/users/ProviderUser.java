package dev.offsetd.server.users;

import dev.offsetd.server.access.Scope;

/**
 * Somebody for whom an OpenID Connect provider vouches.
 *
 * @param issuer the provider
 * @param subject by what it tells its users apart; a name can go to somebody else, this cannot (OpenID Connect Core
 *     section 5.7)
 * @param name for people; from outside
 */
public record ProviderUser(String issuer, String subject, String name, Scope role) {}
