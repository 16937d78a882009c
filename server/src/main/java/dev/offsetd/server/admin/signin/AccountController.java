package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSession;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.users.UserState;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.admin.SeeOther;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** The account page: the user's name, role and sessions. */
@Controller
class AccountController {

    private final Users users;
    private final UserSessions sessions;

    AccountController(Users users, UserSessions sessions) {
        this.users = users;
        this.sessions = sessions;
    }

    /** A session and the name of its device. */
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
                        .map(session -> new SessionLine(session, Device.of(session.userAgent())))
                        .toList());
        return "admin/signin/account";
    }

    @PostMapping("/admin/account/sessions/{handle}/end")
    String end(@PathVariable String handle, HttpServletRequest request, RedirectAttributes flash) {
        User user = UserSessions.current().orElseThrow();
        flash.addFlashAttribute(
                "notice", sessions.end(user, handle) ? "Session ended." : "The session had already ended.");
        return SeeOther.to(request, "/admin/account");
    }
}
