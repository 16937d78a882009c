package dev.offsetd.server.access;

import org.springframework.security.config.annotation.web.builders.HttpSecurity;

/** Another way to sign in than by password, which takes a hand in the filters of the pages. */
@FunctionalInterface
public interface OtherSignIn {

    /** Adds it to the filters. */
    void addTo(HttpSecurity pages);
}
