package dev.offsetd.server.users;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({SignInProperties.class, OidcProperties.class})
class UsersConfiguration {

    UsersConfiguration(SignInProperties signIn, OidcProperties oidc) {
        if (!signIn.local() && !oidc.isOn()) {
            throw new IllegalArgumentException("offsetd.sign-in.local is false and offsetd.oidc.issuer is missing;"
                    + " expected at least one means of sign-in");
        }
    }
}
