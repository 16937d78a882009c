package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.admin.shell.LocalPath;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.users.SignIns;
import dev.offsetd.server.users.SignIns.Outcome;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Signs people in and out. */
@Controller
class SignInController {

    private static final String PATH = "/admin/sign-in";
    private static final String PAGE = "admin/signin/sign-in";

    private final SignIns signIns;
    private final UserSessions sessions;
    private final ProviderSignIn provider;

    SignInController(SignIns signIns, UserSessions sessions, ProviderSignIn provider) {
        this.signIns = signIns;
        this.sessions = sessions;
        this.provider = provider;
    }

    /**
     * What the page shows.
     *
     * @param next where to go on to
     * @param local whether there are passwords
     * @param provider name of another place to sign in at; null for none
     * @param error why somebody is not signed in; null at first
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
        if (UserSessions.userOf(request).isPresent()) {
            return SeeOther.to(request, LocalPath.of(next));
        }
        return show(model, "", next, words(failure));
    }

    /** Sends the browser to the provider. A link, not a form: a form may go nowhere but here. */
    @GetMapping("/admin/sign-in/provider")
    String toProvider(@RequestParam(defaultValue = "") String next, HttpServletRequest request) {
        if (provider.title().isEmpty()) {
            return SeeOther.to(request, PATH);
        }
        return SeeOther.to(
                request, provider.begin(request, LocalPath.of(next)).orElseGet(() -> failure("unreachable")));
    }

    /** The sign-in page with a word on why nobody was signed in elsewhere. */
    static String failure(String why) {
        return PATH + "?failure=" + why;
    }

    private static @Nullable String words(String failure) {
        return switch (failure) {
            case "unreachable" -> "The provider cannot be reached. Try again later, or tell your admin.";
            case "provider" -> "The provider did not sign you in. Try again.";
            case "role" -> "The provider gives you no role here. Ask your admin for one.";
            case "refused" -> "You are not let in: your account here is disabled, or its name belongs to another.";
            default -> null;
        };
    }

    @PostMapping(PATH)
    String signIn(
            @RequestParam(defaultValue = "") String name,
            @RequestParam(defaultValue = "") String password,
            @RequestParam(defaultValue = "") String next,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model) {
        return switch (signIns.attempt(name, password, Caller.of(request), RequestIds.of(request))) {
            case Outcome.Passed(var user) -> {
                sessions.begin(request, response, user);
                yield SeeOther.to(request, LocalPath.of(next));
            }
            case Outcome.Refused() -> {
                response.setStatus(HttpStatus.UNPROCESSABLE_CONTENT.value());
                yield show(model, name, next, "Name or password is wrong.");
            }
            case Outcome.TooMany(Duration retryAfter) -> {
                long seconds = retryAfter.plusNanos(999_999_999).toSeconds();
                response.setStatus(HttpStatus.TOO_MANY_REQUESTS.value());
                response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
                yield show(
                        model,
                        name,
                        next,
                        "Too many failed attempts. Try again in " + seconds
                                + (seconds == 1 ? " second." : " seconds."));
            }
        };
    }

    @PostMapping("/admin/sign-out")
    String signOut(HttpServletRequest request) {
        sessions.end(request);
        return SeeOther.to(request, PATH);
    }

    private String show(Model model, String name, String next, @Nullable String error) {
        model.addAttribute(
                "form",
                new Form(
                        name,
                        LocalPath.of(next),
                        signIns.isLocal(),
                        provider.title().orElse(null),
                        error));
        return PAGE;
    }
}
