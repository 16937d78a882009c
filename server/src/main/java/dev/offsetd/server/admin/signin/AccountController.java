package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.UserSessions.UserSession;
import dev.offsetd.server.access.users.UserState;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.admin.SeeOther;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** The account page: the user's name, role and sessions. */
@Controller
class AccountController {

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

    @GetMapping("/admin/account")
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

    @PostMapping("/admin/account/sessions/{handle}/end")
    String end(@PathVariable String handle, HttpServletRequest request, RedirectAttributes flash) {
        User user = UserSessions.current().orElseThrow();
        flash.addFlashAttribute(
                "notice", sessions.end(user, handle) ? "Session ended." : "The session had already ended.");
        return SeeOther.to(request, "/admin/account");
    }
}
