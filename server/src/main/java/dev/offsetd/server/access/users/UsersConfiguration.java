package dev.offsetd.server.access.users;

import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class UsersConfiguration {

    UsersConfiguration(SignInProperties signIn, OidcProperties oidc) {
        if (!signIn.local() && !oidc.isOn()) {
            throw new IllegalArgumentException("offsetd.sign-in.local is false and offsetd.oidc.issuer is missing;"
                    + " expected at least one means of sign-in");
        }
    }
}
