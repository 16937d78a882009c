package dev.offsetd.server.access;

import org.springframework.security.config.annotation.web.builders.HttpSecurity;

/** A way to sign in to the pages. Its authentications have a {@link UserSessions.SignedIn} principal. */
@FunctionalInterface
public interface SignInMethod {

    void addTo(HttpSecurity pages);
}
