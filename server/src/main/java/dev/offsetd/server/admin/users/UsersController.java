package dev.offsetd.server.admin.users;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.UserSessions;
import dev.offsetd.server.access.users.RefusedException;
import dev.offsetd.server.access.users.UserState;
import dev.offsetd.server.access.users.Users;
import dev.offsetd.server.access.users.Users.NewPassword;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.PageFrame;
import dev.offsetd.server.admin.SingleUse;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;

/** Lists users, adds them, and changes what they may do. */
@Controller
class UsersController {

    private static final String PATH = "/admin/users";
    private static final String ROLE = "role";

    private final Users users;

    UsersController(Users users) {
        this.users = users;
    }

    @GetMapping(PATH)
    ModelAndView page() {
        return show(HttpStatus.OK);
    }

    @PostMapping(PATH)
    ModelAndView add(
            @RequestParam(defaultValue = "") String name, @RequestParam(ROLE) String word, HttpServletRequest request) {
        Scope role = role(word);
        return SingleUse.isRepeated(request) ? repeated() : show(users.add(name.strip(), role, Actor.of(request)));
    }

    @PostMapping(PATH + "/{id}/reset")
    ModelAndView reset(@PathVariable UUID id, HttpServletRequest request) {
        return SingleUse.isRepeated(request) ? repeated() : show(users.resetPassword(id, Actor.of(request)));
    }

    /** A one-time password is shown in the response to its form only: not in a session, nor in a URL. */
    private static ModelAndView repeated() {
        return Htmx.done(PATH, "This form was sent already. A password is shown only once.");
    }

    @PostMapping(PATH + "/{id}/role")
    ModelAndView role(@PathVariable UUID id, @RequestParam(ROLE) String word, HttpServletRequest request) {
        UserState user = users.setRole(id, role(word), Actor.of(request));
        return Htmx.done(PATH, user.user().name() + " now has the role " + word + ".");
    }

    @PostMapping(PATH + "/{id}/enable")
    ModelAndView enable(@PathVariable UUID id, HttpServletRequest request) {
        UserState user = users.setEnabled(id, true, Actor.of(request));
        return Htmx.done(PATH, user.user().name() + " is enabled.");
    }

    @PostMapping(PATH + "/{id}/disable")
    ModelAndView disable(@PathVariable UUID id, HttpServletRequest request) {
        UserState user = users.setEnabled(id, false, Actor.of(request));
        return Htmx.done(PATH, user.user().name() + " is disabled, and all their sessions have ended.");
    }

    @PostMapping(PATH + "/{id}/sign-out")
    ModelAndView signOut(@PathVariable UUID id, HttpServletRequest request) {
        UserState user = users.signOut(id, Actor.of(request));
        return Htmx.done(PATH, "All sessions of " + user.user().name() + " have ended.");
    }

    @ExceptionHandler
    ModelAndView refused(RefusedException e, HttpServletRequest request) {
        return show(HttpStatus.UNPROCESSABLE_CONTENT)
                .addAllObjects(PageFrame.attributes(request))
                .addObject("refused", e)
                .addObject("name", request.getParameter("name"))
                .addObject(ROLE, request.getParameter(ROLE));
    }

    private ModelAndView show(NewPassword password) {
        return show(HttpStatus.OK).addObject("password", password);
    }

    private ModelAndView show(HttpStatus status) {
        return new ModelAndView("admin/users/users", status)
                .addObject("users", users.all())
                .addObject("self", UserSessions.current().orElseThrow().id())
                .addObject("nameRule", Users.NAME_RULE);
    }

    private static Scope role(String word) {
        return Word.find(Scope.class, word)
                .orElseThrow(() -> ProblemException.badRequest(
                        "bad_role",
                        "There is no such role",
                        "role " + HostileText.quote(word) + "; expected read, publish, admin"));
    }
}
