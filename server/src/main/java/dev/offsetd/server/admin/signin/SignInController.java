package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.people.SignIns;
import dev.offsetd.server.people.SignIns.Outcome;
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

    private static final String PAGE = "admin/signin/sign-in";

    private final SignIns signIns;
    private final UserSessions sessions;

    SignInController(SignIns signIns, UserSessions sessions) {
        this.signIns = signIns;
        this.sessions = sessions;
    }

    /**
     * What the page shows.
     *
     * @param next where to go on to
     * @param error why somebody is not signed in; null at first
     */
    record Form(String name, String next, @Nullable String error) {}

    @GetMapping("/admin/sign-in")
    String page(@RequestParam(defaultValue = "") String next, HttpServletRequest request, Model model) {
        if (UserSessions.userOf(request).isPresent()) {
            return Redirects.to(request, LocalPath.of(next));
        }
        model.addAttribute("form", new Form("", LocalPath.of(next), null));
        return PAGE;
    }

    @PostMapping("/admin/sign-in")
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
                yield Redirects.to(request, LocalPath.of(next));
            }
            case Outcome.Refused() -> {
                response.setStatus(HttpStatus.UNPROCESSABLE_CONTENT.value());
                yield again(model, name, next, "Name or password is wrong.");
            }
            case Outcome.TooMany(Duration retryAfter) -> {
                long seconds = retryAfter.plusNanos(999_999_999).toSeconds();
                response.setStatus(HttpStatus.TOO_MANY_REQUESTS.value());
                response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
                yield again(
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
        return Redirects.to(request, "/admin/sign-in");
    }

    private static String again(Model model, String name, String next, String error) {
        model.addAttribute("form", new Form(name, LocalPath.of(next), error));
        return PAGE;
    }
}
