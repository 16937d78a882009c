package dev.offsetd.server.admin.signin;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.admin.shell.LocalPath;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.users.Passwords;
import dev.offsetd.server.users.RefusedException;
import dev.offsetd.server.users.Users;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** Has people choose their password: whenever they like, and before anything else if somebody else knows it. */
@Controller
class PasswordController {

    private static final String PAGE = "admin/signin/password";

    private final Users users;
    private final UserSessions sessions;

    PasswordController(Users users, UserSessions sessions) {
        this.users = users;
        this.sessions = sessions;
    }

    /**
     * What the page shows.
     *
     * @param name of the user, so that password managers know whose password it is
     * @param first whether the password so far is a one-time password
     * @param fault what is wrong with what was sent; null at first
     */
    record Form(
            String name,
            boolean first,
            int minCharacters,
            @Nullable Fault fault) {

        static Form of(User user, @Nullable Fault fault) {
            return new Form(user.name(), user.mustChangePassword(), Passwords.MIN_CHARACTERS, fault);
        }
    }

    /**
     * What is wrong.
     *
     * @param field id of the input that it is about; empty for none
     */
    record Fault(String field, String text) {

        static Fault of(RefusedException refused) {
            String field = switch (refused.field()) {
                case CURRENT_PASSWORD -> "current";
                case NEW_PASSWORD -> "wanted";
                case NAME, NONE -> "";
            };
            return new Fault(field, String.valueOf(refused.getMessage()));
        }
    }

    @GetMapping("/admin/password")
    String page(HttpServletRequest request, Model model) {
        model.addAttribute("form", Form.of(UserSessions.userOf(request).orElseThrow(), null));
        return PAGE;
    }

    @PostMapping("/admin/password")
    String change(
            @RequestParam(defaultValue = "") String current,
            @RequestParam(defaultValue = "") String wanted,
            @RequestParam(defaultValue = "") String again,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model,
            RedirectAttributes flash) {
        User user = UserSessions.userOf(request).orElseThrow();
        Fault fault;
        if (!wanted.equals(again)) {
            fault = new Fault("again", "this is not the same as the new password");
        } else {
            try {
                User changed =
                        users.changePassword(user.id(), current, wanted, Caller.of(request), RequestIds.of(request));
                sessions.begin(request, response, changed);
                flash.addFlashAttribute("notice", "Password changed. All your other sessions have ended.");
                return SeeOther.to(request, user.mustChangePassword() ? LocalPath.HOME : "/admin/account");
            } catch (RefusedException e) {
                fault = Fault.of(e);
            }
        }
        response.setStatus(HttpStatus.UNPROCESSABLE_CONTENT.value());
        model.addAttribute("form", Form.of(user, fault));
        return PAGE;
    }
}
