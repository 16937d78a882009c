package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.users.Passwords;
import dev.offsetd.server.access.users.RefusedException;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.LocalPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** The password page. Users with a one-time password see it before anything else. */
@Controller
class PasswordController {

    private final Users users;
    private final UserSessions sessions;

    PasswordController(Users users, UserSessions sessions) {
        this.users = users;
        this.sessions = sessions;
    }

    @GetMapping("/admin/password")
    ModelAndView page() {
        return show(HttpStatus.OK);
    }

    @PostMapping("/admin/password")
    ModelAndView change(
            @RequestParam(defaultValue = "") String current,
            @RequestParam(defaultValue = "") String wanted,
            @RequestParam(defaultValue = "") String again,
            HttpServletRequest request,
            HttpServletResponse response) {
        if (!wanted.equals(again)) {
            return refused(new RefusedException("again", "this is not the same as the new password"));
        }
        User user = UserSessions.current().orElseThrow();
        try {
            User changed = users.changePassword(user.id(), current, wanted, Actor.of(request));
            sessions.renew(changed, request);
            return Htmx.done(
                    request,
                    response,
                    user.mustChangePassword() ? LocalPath.HOME : "/admin/account",
                    "Password changed. All your other sessions have ended.");
        } catch (RefusedException e) {
            return refused(e);
        }
    }

    private static ModelAndView refused(RefusedException e) {
        return show(HttpStatus.UNPROCESSABLE_CONTENT).addObject("refused", e);
    }

    private static ModelAndView show(HttpStatus status) {
        return new ModelAndView("admin/signin/password", status)
                .addObject("user", UserSessions.current().orElseThrow())
                .addObject("minCharacters", Passwords.MIN_CHARACTERS);
    }
}
