package dev.offsetd.server.admin.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.users.NewPassword;
import dev.offsetd.server.access.users.RefusedException;
import dev.offsetd.server.access.users.RefusedException.InputField;
import dev.offsetd.server.access.users.UserState;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.admin.FormFields;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.SingleUse;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** Lists users, adds them, and changes what they may do. */
@Controller
class UsersController {

    private static final String PATH = "/admin/users";
    private static final String NAME = "name";
    private static final String ROLE = "role";
    private static final FormFields EMPTY = FormFields.of(Map.of(ROLE, Scope.READ.word()));

    private final Users users;

    UsersController(Users users) {
        this.users = users;
    }

    @GetMapping(PATH)
    ModelAndView page() {
        return show(HttpStatus.OK, EMPTY, null);
    }

    @PostMapping(PATH)
    ModelAndView add(HttpServletRequest request, HttpServletResponse response) {
        FormFields form = FormFields.of(request, List.of(NAME, ROLE));
        Scope role = role(form.value(ROLE));
        return showPassword(
                request, response, form, (who, requestId) -> users.add(form.value(NAME), role, who, requestId));
    }

    @PostMapping(PATH + "/{id}/reset")
    ModelAndView reset(@PathVariable UUID id, HttpServletRequest request, HttpServletResponse response) {
        return showPassword(request, response, EMPTY, (who, requestId) -> users.resetPassword(id, who, requestId));
    }

    @PostMapping(PATH + "/{id}/role")
    ModelAndView role(
            @PathVariable UUID id,
            @RequestParam(ROLE) String word,
            HttpServletRequest request,
            HttpServletResponse response) {
        Scope role = role(word);
        return redirect(
                request,
                response,
                (who, requestId) ->
                        name(users.setRole(id, role, who, self(), requestId)) + " now has the role " + word + ".");
    }

    @PostMapping(PATH + "/{id}/enable")
    ModelAndView enable(@PathVariable UUID id, HttpServletRequest request, HttpServletResponse response) {
        return redirect(
                request,
                response,
                (who, requestId) -> name(users.setEnabled(id, true, who, self(), requestId)) + " is enabled.");
    }

    @PostMapping(PATH + "/{id}/disable")
    ModelAndView disable(@PathVariable UUID id, HttpServletRequest request, HttpServletResponse response) {
        return redirect(
                request,
                response,
                (who, requestId) -> name(users.setEnabled(id, false, who, self(), requestId))
                        + " is disabled, and all their sessions have ended.");
    }

    @PostMapping(PATH + "/{id}/sign-out")
    ModelAndView signOut(@PathVariable UUID id, HttpServletRequest request, HttpServletResponse response) {
        return redirect(
                request,
                response,
                (who, requestId) -> "All sessions of " + name(users.signOut(id, who, requestId)) + " have ended.");
    }

    /** Makes a change, and shows the one-time password in this response only: not in a session, nor in a URL. */
    private ModelAndView showPassword(
            HttpServletRequest request,
            HttpServletResponse response,
            FormFields form,
            BiFunction<Caller, String, NewPassword> change) {
        if (SingleUse.isRepeated(request)) {
            return Htmx.done(request, response, PATH, "This form was sent already. A password is shown only once.");
        }
        try {
            return show(HttpStatus.OK, EMPTY, change.apply(Caller.of(request), RequestIds.of(request)));
        } catch (RefusedException e) {
            return refused(form, e);
        }
    }

    /** Makes a change, and redirects to the list with the notice that the change returns. */
    private ModelAndView redirect(
            HttpServletRequest request, HttpServletResponse response, BiFunction<Caller, String, String> change) {
        try {
            return Htmx.done(request, response, PATH, change.apply(Caller.of(request), RequestIds.of(request)));
        } catch (RefusedException e) {
            return refused(EMPTY, e);
        }
    }

    private ModelAndView refused(FormFields form, RefusedException e) {
        String field = e.field() == InputField.NAME ? NAME : "";
        return show(
                HttpStatus.UNPROCESSABLE_CONTENT, form.refused(Map.of(field, String.valueOf(e.getMessage()))), null);
    }

    private ModelAndView show(HttpStatus status, FormFields form, @Nullable NewPassword password) {
        return new ModelAndView("admin/users/users", status)
                .addObject("users", users.all())
                .addObject("self", self())
                .addObject("form", form)
                .addObject("nameRule", Users.NAME_RULE)
                .addObject("password", password);
    }

    private static UUID self() {
        return UserSessions.current().orElseThrow().id();
    }

    private static String name(UserState state) {
        return state.user().name();
    }

    private static Scope role(String word) {
        return Scope.ofWord(word)
                .orElseThrow(() -> new ProblemException(Problem.of(
                        HttpStatus.BAD_REQUEST,
                        "bad_role",
                        "There is no such role",
                        "role " + HostileText.quote(word) + "; expected read, publish, admin")));
    }
}
