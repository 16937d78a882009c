package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.users.PasswordAuthentication;
import dev.offsetd.server.access.users.TooManyAttemptsException;
import dev.offsetd.server.admin.LocalPath;
import dev.offsetd.server.admin.SeeOther;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.InternalAuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.web.WebAttributes;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;

/** The sign-in page. Spring Security's filters sign users in and out, and forward to this page when that fails. */
@Controller
class SignInController {

    static final String PATH = "/admin/sign-in";
    private static final String PAGE = "admin/signin/sign-in";

    private final PasswordAuthentication passwords;
    private final ProviderSignIn provider;

    SignInController(PasswordAuthentication passwords, ProviderSignIn provider) {
        this.passwords = passwords;
        this.provider = provider;
    }

    /**
     * Model of the page.
     *
     * @param next where to go after sign-in
     * @param local whether users can sign in with a password
     * @param provider name of the OpenID Connect provider; null for none
     * @param error why the last attempt failed; null at first
     */
    record Form(
            String name,
            String next,
            boolean local,
            @Nullable String provider,
            @Nullable String error) {}

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

    /** Sends the browser to the provider. A link, not a form: the Content-Security-Policy keeps forms on this server. */
    @GetMapping("/admin/sign-in/provider")
    String toProvider(@RequestParam(defaultValue = "") String next, HttpServletRequest request) {
        if (provider.title().isEmpty()) {
            return SeeOther.to(request, PATH);
        }
        return SeeOther.to(
                request, provider.begin(request, LocalPath.of(next)).orElseGet(() -> failure("unreachable")));
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
            long seconds = tooMany.retryAfter().plusNanos(999_999_999).toSeconds();
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

    private String show(Model model, String name, String next, @Nullable String error) {
        model.addAttribute(
                "form",
                new Form(
                        name,
                        LocalPath.of(next),
                        passwords.isEnabled(),
                        provider.title().orElse(null),
                        error));
        return PAGE;
    }
}
