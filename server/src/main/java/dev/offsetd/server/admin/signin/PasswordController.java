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

/** The password page. Users with a one-time password see it before anything else. */
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
     * Model of the page.
     *
     * @param name of the user, for password managers
     * @param first whether the current password is a one-time password
     * @param fault what is wrong with the submitted passwords; null at first
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

    /** @param field id of the input at fault; empty for none */
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
        model.addAttribute("form", Form.of(UserSessions.current().orElseThrow(), null));
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
        User user = UserSessions.current().orElseThrow();
        Fault fault;
        if (!wanted.equals(again)) {
            fault = new Fault("again", "this is not the same as the new password");
        } else {
            try {
                User changed =
                        users.changePassword(user.id(), current, wanted, Caller.of(request), RequestIds.of(request));
                sessions.renew(changed, request);
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
