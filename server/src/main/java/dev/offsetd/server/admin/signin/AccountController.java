package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.UserSessions.UserSession;
import dev.offsetd.server.access.users.Passwords;
import dev.offsetd.server.access.users.RefusedException;
import dev.offsetd.server.access.users.UserState;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.LocalPath;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** The account page with the user's name, role and sessions, and the password page. */
@Controller
class AccountController {

    private static final String ACCOUNT = "/admin/account";
    private static final String PASSWORD = "/admin/password";

    /** Signs in a {@code User-Agent}, and what they mean. The first match counts: most browsers also name others. */
    private static final List<List<String>> BROWSERS = List.of(
            List.of("Edg", "Edge"),
            List.of("OPR/", "Opera"),
            List.of("Firefox/", "Firefox"),
            List.of("FxiOS/", "Firefox"),
            List.of("Chrome/", "Chrome"),
            List.of("CriOS/", "Chrome"),
            List.of("Safari/", "Safari"));

    private static final List<List<String>> SYSTEMS = List.of(
            List.of("Android", " on Android"),
            List.of("iPhone", " on iPhone"),
            List.of("iPad", " on iPad"),
            List.of("Windows", " on Windows"),
            List.of("Mac OS X", " on macOS"),
            List.of("CrOS", " on ChromeOS"),
            List.of("Linux", " on Linux"));

    private final Users users;
    private final UserSessions sessions;

    AccountController(Users users, UserSessions sessions) {
        this.users = users;
        this.sessions = sessions;
    }

    /** A session and its device: browser and operating system, enough to recognize it. */
    record SessionLine(UserSession session, String device) {}

    /** The form of a new password. A parameter that a request lacks is null. */
    record PasswordForm(
            @Nullable String current,
            @Nullable String wanted,
            @Nullable String again) {

        /** Omits the passwords, which must not be logged. */
        @Override
        public String toString() {
            return "PasswordForm";
        }
    }

    @GetMapping(ACCOUNT)
    String page(HttpServletRequest request, Model model) {
        User user = UserSessions.current().orElseThrow();
        model.addAttribute("user", user);
        model.addAttribute(
                "issuer", users.find(user.id()).map(UserState::issuer).orElse(null));
        model.addAttribute(
                "lines",
                sessions.all(user, request).stream()
                        .map(session -> new SessionLine(
                                session,
                                meaning(BROWSERS, session.userAgent(), "Unknown browser")
                                        + meaning(SYSTEMS, session.userAgent(), "")))
                        .toList());
        return "admin/signin/account";
    }

    private static String meaning(List<List<String>> signs, String userAgent, String unknown) {
        return signs.stream()
                .filter(sign -> userAgent.contains(sign.getFirst()))
                .map(List::getLast)
                .findFirst()
                .orElse(unknown);
    }

    @PostMapping(ACCOUNT + "/sessions/{handle}/end")
    ModelAndView end(@PathVariable String handle) {
        User user = UserSessions.current().orElseThrow();
        return Htmx.done(ACCOUNT, sessions.end(user, handle) ? "Session ended." : "The session had already ended.");
    }

    /** Shows the password page. Users with a one-time password see it before anything else. */
    @GetMapping(PASSWORD)
    ModelAndView passwordPage() {
        return showPassword(HttpStatus.OK).addObject("form", new PasswordForm(null, null, null));
    }

    @PostMapping(PASSWORD)
    ModelAndView changePassword(
            @ModelAttribute("form") PasswordForm form, BindingResult errors, HttpServletRequest request) {
        User user = UserSessions.current().orElseThrow();
        String wanted = Objects.toString(form.wanted(), "");
        try {
            if (!wanted.equals(form.again())) {
                throw new RefusedException("again", "this is not the same as the new password");
            }
            User changed =
                    users.changePassword(user.id(), Objects.toString(form.current(), ""), wanted, Actor.of(request));
            sessions.renew(changed, request);
            return Htmx.done(
                    user.mustChangePassword() ? LocalPath.HOME : ACCOUNT,
                    "Password changed. All your other sessions have ended.");
        } catch (RefusedException e) {
            errors.rejectValue(e.input(), "refused", String.valueOf(e.getMessage()));
            return showPassword(HttpStatus.UNPROCESSABLE_CONTENT);
        }
    }

    private static ModelAndView showPassword(HttpStatus status) {
        return new ModelAndView("admin/signin/password", status)
                .addObject("user", UserSessions.current().orElseThrow())
                .addObject("minCharacters", Passwords.MIN_CHARACTERS);
    }
}
