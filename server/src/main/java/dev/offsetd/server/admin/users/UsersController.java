package dev.offsetd.server.admin.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.User;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.users.NewPassword;
import dev.offsetd.server.users.RefusedException;
import dev.offsetd.server.users.RefusedException.Field;
import dev.offsetd.server.users.UserState;
import dev.offsetd.server.users.Users;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** Lists users, adds them, and changes what they may do. */
@Controller
class UsersController {

    private static final String PATH = "/admin/users";
    private static final String PAGE = "admin/users/users";

    private final Users users;

    UsersController(Users users) {
        this.users = users;
    }

    /**
     * What the page shows.
     *
     * @param name as it was typed
     * @param role as it was chosen
     * @param password a one-time password that was just made; null otherwise
     * @param fault why something was not done; null if nothing was refused
     */
    record Page(
            List<Entry> users,
            List<Role> roles,
            String name,
            String role,
            String nameRule,
            @Nullable Made password,
            @Nullable Fault fault) {}

    /** A role that can be given. */
    record Role(String word, String meaning) {

        static Role of(Scope scope) {
            return new Role(
                    scope.word(),
                    switch (scope) {
                        case READ -> "read: looks at everything but users, tokens and the audit";
                        case PUBLISH -> "publish: also has builds tried again";
                        case ADMIN -> "admin: also changes pins, type sets, tokens and users";
                    });
        }
    }

    /**
     * One user.
     *
     * @param issuer the provider that the user comes from; null for one with a password
     * @param waiting whether the user still has a one-time password
     * @param self whether it is the one who looks
     */
    record Entry(
            UUID id,
            String name,
            String role,
            boolean enabled,
            @Nullable String issuer,
            boolean waiting,
            boolean self,
            Moment created,
            @Nullable Moment lastSignIn) {

        static Entry of(UserState state, UUID self) {
            User user = state.user();
            return new Entry(
                    user.id(),
                    user.name(),
                    user.role().word(),
                    state.enabled(),
                    state.issuer(),
                    user.mustChangePassword(),
                    user.id().equals(self),
                    Moment.of(state.createdAt()),
                    Moment.orNull(state.lastSignInAt()));
        }
    }

    /** A one-time password, to be handed on. */
    record Made(String name, String password) {

        static Made of(NewPassword made) {
            return new Made(made.state().user().name(), made.text());
        }
    }

    /**
     * Why something was not done.
     *
     * @param field id of the input that it is about; empty for none
     */
    record Fault(String field, String text) {

        static Fault of(RefusedException e) {
            return new Fault(e.field() == Field.NAME ? "name" : "", String.valueOf(e.getMessage()));
        }
    }

    /** A change of one user. */
    @FunctionalInterface
    private interface Change {

        /** @return what is told to whoever made it */
        String make(Caller who, UUID self, String requestId) throws RefusedException;
    }

    @GetMapping(PATH)
    String page(Model model) {
        return show(model, "", Scope.READ.word(), null, null);
    }

    @PostMapping(PATH)
    String add(
            @RequestParam(defaultValue = "") String name,
            @RequestParam(defaultValue = "") String role,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model) {
        try {
            NewPassword made = users.add(name.strip(), scope(role), Caller.of(request), RequestIds.of(request));
            // Shown as the answer to the form and nowhere else: not kept for another request, not in any address.
            return show(model, "", Scope.READ.word(), Made.of(made), null);
        } catch (RefusedException e) {
            response.setStatus(HttpStatus.UNPROCESSABLE_CONTENT.value());
            return show(model, name, role, null, Fault.of(e));
        }
    }

    @PostMapping(PATH + "/{id}/reset")
    String reset(@PathVariable UUID id, HttpServletRequest request, HttpServletResponse response, Model model) {
        try {
            NewPassword made = users.resetPassword(id, Caller.of(request), RequestIds.of(request));
            return show(model, "", Scope.READ.word(), Made.of(made), null);
        } catch (RefusedException e) {
            return refused(response, model, e);
        }
    }

    @PostMapping(PATH + "/{id}/role")
    String role(
            @PathVariable UUID id,
            @RequestParam String role,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model,
            RedirectAttributes flash) {
        Scope scope = scope(role);
        return change(request, response, model, flash, (who, self, requestId) -> {
            UserState changed = users.setRole(id, scope, who, self, requestId);
            return changed.user().name() + " now has the role " + scope.word() + ".";
        });
    }

    @PostMapping(PATH + "/{id}/enable")
    String enable(
            @PathVariable UUID id,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model,
            RedirectAttributes flash) {
        return change(
                request,
                response,
                model,
                flash,
                (who, self, requestId) ->
                        users.setEnabled(id, true, who, self, requestId).user().name() + " can sign in again.");
    }

    @PostMapping(PATH + "/{id}/disable")
    String disable(
            @PathVariable UUID id,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model,
            RedirectAttributes flash) {
        return change(
                request,
                response,
                model,
                flash,
                (who, self, requestId) ->
                        users.setEnabled(id, false, who, self, requestId).user().name()
                                + " is signed out and cannot sign in any more.");
    }

    @PostMapping(PATH + "/{id}/sign-out")
    String signOut(
            @PathVariable UUID id,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model,
            RedirectAttributes flash) {
        return change(
                request,
                response,
                model,
                flash,
                (who, self, requestId) ->
                        users.signOut(id, who, requestId).user().name() + " is signed out everywhere.");
    }

    private String change(
            HttpServletRequest request,
            HttpServletResponse response,
            Model model,
            RedirectAttributes flash,
            Change change) {
        UUID self = UserSessions.current().orElseThrow().id();
        try {
            flash.addFlashAttribute("notice", change.make(Caller.of(request), self, RequestIds.of(request)));
            return SeeOther.to(request, PATH);
        } catch (RefusedException e) {
            return refused(response, model, e);
        }
    }

    private String refused(HttpServletResponse response, Model model, RefusedException e) {
        response.setStatus(HttpStatus.UNPROCESSABLE_CONTENT.value());
        return show(model, "", Scope.READ.word(), null, Fault.of(e));
    }

    private String show(Model model, String name, String role, @Nullable Made password, @Nullable Fault fault) {
        UUID self = UserSessions.current().orElseThrow().id();
        model.addAttribute(
                "page",
                new Page(
                        users.all().stream().map(state -> Entry.of(state, self)).toList(),
                        Arrays.stream(Scope.values()).map(Role::of).toList(),
                        name,
                        role,
                        Users.NAME_RULE,
                        password,
                        fault));
        return PAGE;
    }

    private static Scope scope(String word) {
        return Scope.ofWord(word)
                .orElseThrow(() -> new ProblemException(Problem.of(
                        HttpStatus.BAD_REQUEST,
                        "bad_role",
                        "There is no such role",
                        "role " + HostileText.quote(word) + "; expected read, publish, admin")));
    }
}
