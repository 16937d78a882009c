package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSession;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.users.UserState;
import dev.offsetd.server.users.Users;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** Shows people their own account: who they are here, and where they are signed in. */
@Controller
class AccountController {

    private final Users users;
    private final UserSessions sessions;

    AccountController(Users users, UserSessions sessions) {
        this.users = users;
        this.sessions = sessions;
    }

    /**
     * What the page shows.
     *
     * @param issuer the provider that the user comes from; null for one with a password
     */
    record Account(String name, String role, @Nullable String issuer, List<Place> sessions) {}

    /** A place where the user is signed in. */
    record Place(String handle, String device, String address, Moment signedIn, Moment lastUsed, boolean current) {

        static Place of(UserSession session) {
            return new Place(
                    session.handle(),
                    Device.of(session.userAgent()),
                    session.address(),
                    Moment.of(session.signedInAt()),
                    Moment.of(session.lastUsedAt()),
                    session.current());
        }
    }

    @GetMapping("/admin/account")
    String page(HttpServletRequest request, Model model) {
        User user = UserSessions.userOf(request).orElseThrow();
        String issuer = users.find(user.id()).map(UserState::issuer).orElse(null);
        model.addAttribute(
                "account",
                new Account(
                        user.name(),
                        user.role().word(),
                        issuer,
                        sessions.all(request).stream().map(Place::of).toList()));
        return "admin/signin/account";
    }

    @PostMapping("/admin/account/sessions/{handle}/end")
    String end(@PathVariable String handle, HttpServletRequest request, RedirectAttributes flash) {
        flash.addFlashAttribute(
                "notice", sessions.end(request, handle) ? "Session ended." : "That session was over already.");
        return SeeOther.to(request, "/admin/account");
    }
}
