package dev.offsetd.server.admin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.users.RefusedException;
import dev.offsetd.server.access.users.UserState;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.access.users.Users.NewPassword;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.util.Set;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** Lists users, adds them, and changes what they may do. */
@Controller
class UsersController {

    private static final String PATH = "/admin/users";

    private final Users users;

    UsersController(Users users) {
        this.users = users;
    }

    /** The form of a new user. */
    record UserForm(
            @NotNull String name,

            @NotNull @Pattern(regexp = "read|publish|admin", message = "expected read, publish or admin")
            String role) {

        static final UserForm EMPTY = new UserForm("", Scope.READ.word());
    }

    @GetMapping(PATH)
    ModelAndView page(HttpServletRequest request) {
        return show(HttpStatus.OK, UserForm.EMPTY, ListQuery.of(request, Set.of()));
    }

    @PostMapping(PATH)
    ModelAndView add(@Valid @ModelAttribute("form") UserForm form, BindingResult errors, HttpServletRequest request) {
        if (!errors.hasErrors()) {
            try {
                return SingleUse.isRepeated(request)
                        ? repeated()
                        : show(users.add(form.name().strip(), role(form.role()), Actor.of(request)));
            } catch (RefusedException e) {
                errors.rejectValue(e.input(), "refused", String.valueOf(e.getMessage()));
            }
        }
        return show(HttpStatus.UNPROCESSABLE_CONTENT, form);
    }

    @PostMapping(PATH + "/{id}/reset")
    ModelAndView reset(@PathVariable String id, HttpServletRequest request) {
        return SingleUse.isRepeated(request) ? repeated() : show(users.resetPassword(idOf(id), Actor.of(request)));
    }

    /** A one-time password is shown in the response to its form only: not in a session, nor in a URL. */
    private static ModelAndView repeated() {
        return Htmx.done(PATH, "This form was sent already. A password is shown only once.");
    }

    @PostMapping(PATH + "/{id}/role")
    ModelAndView role(@PathVariable String id, @RequestParam("role") String word, HttpServletRequest request) {
        UserState user = users.setRole(idOf(id), role(word), Actor.of(request));
        return Htmx.done(PATH, user.user().name() + " now has the role " + word + ".");
    }

    @PostMapping(PATH + "/{id}/enable")
    ModelAndView enable(@PathVariable String id, HttpServletRequest request) {
        UserState user = users.setEnabled(idOf(id), true, Actor.of(request));
        return Htmx.done(PATH, user.user().name() + " is enabled.");
    }

    @PostMapping(PATH + "/{id}/disable")
    ModelAndView disable(@PathVariable String id, HttpServletRequest request) {
        UserState user = users.setEnabled(idOf(id), false, Actor.of(request));
        return Htmx.done(PATH, user.user().name() + " is disabled, and all their sessions have ended.");
    }

    @PostMapping(PATH + "/{id}/sign-out")
    ModelAndView signOut(@PathVariable String id, HttpServletRequest request) {
        UserState user = users.signOut(idOf(id), Actor.of(request));
        return Htmx.done(PATH, "All sessions of " + user.user().name() + " have ended.");
    }

    @ExceptionHandler
    ModelAndView refused(RefusedException e, HttpServletRequest request) {
        return show(HttpStatus.UNPROCESSABLE_CONTENT, UserForm.EMPTY)
                .addAllObjects(PageFrame.attributes(request))
                .addObject("refused", e.getMessage());
    }

    private ModelAndView show(NewPassword password) {
        return show(HttpStatus.OK, UserForm.EMPTY).addObject("password", password);
    }

    private ModelAndView show(HttpStatus status, UserForm form) {
        return show(status, form, ListQuery.ofStart(PATH));
    }

    private ModelAndView show(HttpStatus status, UserForm form, ListQuery query) {
        return new ModelAndView("admin/users/users", status)
                .addObject("form", form)
                .addObject("list", users.page(query))
                .addObject("self", UserSessions.current().orElseThrow().id())
                .addObject("nameRule", Users.NAME_RULE);
    }

    private static UUID idOf(String text) {
        return Ids.uuid(text).orElseThrow(() -> new RefusedException("", "unknown user " + HostileText.quote(text)));
    }

    private static Scope role(String word) {
        return Word.find(Scope.class, word)
                .orElseThrow(() -> ProblemException.badRequest(
                        "bad_role",
                        "There is no such role",
                        "role " + HostileText.quote(word) + "; expected read, publish, admin"));
    }
}
