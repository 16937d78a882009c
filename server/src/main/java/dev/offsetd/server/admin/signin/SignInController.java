package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.SignInMethod;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.users.PasswordAuthentication;
import dev.offsetd.server.access.users.PasswordAuthentication.TooManyAttemptsException;
import dev.offsetd.server.admin.LocalPath;
import dev.offsetd.server.admin.SeeOther;
import dev.offsetd.server.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.InternalAuthenticationServiceException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.WebAttributes;
import org.springframework.security.web.authentication.ForwardAuthenticationFailureHandler;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;

/** The sign-in page. Spring Security's filters sign users in and out, and forward to this page when that fails. */
@Controller
class SignInController implements SignInMethod {

    static final String PATH = "/admin/sign-in";
    private static final String PAGE = "admin/signin/sign-in";

    private final PasswordAuthentication passwords;
    private final ProviderSignIn provider;

    SignInController(PasswordAuthentication passwords, ProviderSignIn provider) {
        this.passwords = passwords;
        this.provider = provider;
    }

    /** Adds sign-in by the form of this page. */
    @Override
    public void addTo(HttpSecurity pages) {
        pages.authenticationProvider(passwords)
                .formLogin(form -> form.loginPage(PATH)
                        .usernameParameter("name")
                        .passwordParameter("password")
                        .successHandler((request, response, _) ->
                                SeeOther.send(response, LocalPath.of(request.getParameter("next"))))
                        .failureHandler(new ForwardAuthenticationFailureHandler(PATH)));
    }

    @GetMapping(PATH)
    String page(
            @RequestParam(defaultValue = "") String next,
            @RequestParam(defaultValue = "") String failure,
            HttpServletRequest request,
            Model model) {
        if (UserSessions.current().isPresent()) {
            return SeeOther.to(request, LocalPath.of(next));
        }
        return show(model, "", next, providerFailure(failure));
    }

    /**
     * Answers a request for sign-in at the provider that {@link ProviderSignIn} has not redirected. The page has a link to it, not a
     * form: the Content-Security-Policy keeps forms on this server.
     */
    @GetMapping(ProviderSignIn.PATH)
    String noProvider(HttpServletRequest request) {
        return SeeOther.to(request, provider.title().isPresent() ? failure("unreachable") : PATH);
    }

    /** Returns the path of the sign-in page with the reason why sign-in at the provider failed. */
    static String failure(String reason) {
        return PATH + "?failure=" + reason;
    }

    private static @Nullable String providerFailure(String reason) {
        return switch (reason) {
            case "unreachable" -> "The provider cannot be reached. Try again later, or ask an administrator.";
            case "provider" -> "Sign-in at the provider failed. Try again.";
            case "role" -> "The provider gives you no role here. Ask an administrator for one.";
            case "refused" -> "Your account here is disabled, or another user has your name.";
            default -> null;
        };
    }

    @PostMapping(PATH)
    String failed(
            @RequestParam(defaultValue = "") String name,
            @RequestParam(defaultValue = "") String next,
            @RequestAttribute(WebAttributes.AUTHENTICATION_EXCEPTION) AuthenticationException failure,
            HttpServletResponse response,
            Model model)
            throws Throwable {
        if (failure instanceof InternalAuthenticationServiceException && failure.getCause() != null) {
            throw failure.getCause();
        }
        if (failure instanceof TooManyAttemptsException tooMany) {
            long seconds = Problem.wholeSeconds(tooMany.retryAfter());
            response.setStatus(HttpStatus.TOO_MANY_REQUESTS.value());
            response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
            return show(
                    model,
                    name,
                    next,
                    "Too many failed attempts. Try again in " + seconds + (seconds == 1 ? " second." : " seconds."));
        }
        response.setStatus(HttpStatus.UNPROCESSABLE_CONTENT.value());
        return show(model, name, next, "Name or password is wrong.");
    }

    /**
     * Shows the page.
     *
     * @param next where to go after sign-in
     * @param error why the last attempt failed; null at first
     */
    private String show(Model model, String name, String next, @Nullable String error) {
        model.addAttribute("name", name)
                .addAttribute("next", LocalPath.of(next))
                .addAttribute("local", passwords.isEnabled())
                .addAttribute("provider", provider.title().orElse(null))
                .addAttribute("error", error);
        return PAGE;
    }
}
