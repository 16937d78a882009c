package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.SignInMethod;
import dev.offsetd.server.access.users.PasswordAuthentication;
import dev.offsetd.server.admin.LocalPath;
import dev.offsetd.server.admin.SeeOther;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.authentication.ForwardAuthenticationFailureHandler;
import org.springframework.stereotype.Component;

/** Sign-in by the form of the sign-in page. */
@Component
record PasswordSignIn(PasswordAuthentication passwords) implements SignInMethod {

    @Override
    public void addTo(HttpSecurity pages) {
        pages.authenticationProvider(passwords)
                .formLogin(form -> form.loginPage(SignInController.PATH)
                        .usernameParameter("name")
                        .passwordParameter("password")
                        .successHandler((request, response, _) ->
                                SeeOther.send(response, LocalPath.of(request.getParameter("next"))))
                        .failureHandler(new ForwardAuthenticationFailureHandler(SignInController.PATH)));
    }
}
