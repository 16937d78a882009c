package dev.offsetd.server.admin.tokens;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.access.tokens.Tokens.NewToken;
import dev.offsetd.server.admin.shell.FormFields;
import dev.offsetd.server.admin.shell.Htmx;
import dev.offsetd.server.admin.shell.SingleUse;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** Lists, creates and revokes tokens. */
@Controller
class TokensController {

    private static final String PATH = "/admin/tokens";
    private static final String LABEL = "label";
    private static final String SCOPE = "scope";
    private static final String DAYS = "days";

    private static final FormFields EMPTY =
            FormFields.of(Map.of(SCOPE, Scope.READ.word(), DAYS, Long.toString(Tokens.USUAL_LIFETIME.toDays())));

    /** Longest lifetime: about ten years. */
    private static final int MAX_DAYS = 3660;

    private final Tokens tokens;

    TokensController(Tokens tokens) {
        this.tokens = tokens;
    }

    @GetMapping(PATH)
    ModelAndView page() {
        return show(HttpStatus.OK, EMPTY, null);
    }

    /** Creates a token, and shows it in this response only. After a redirect, it would have to wait in the session. */
    @PostMapping(PATH)
    ModelAndView create(HttpServletRequest request, HttpServletResponse response) {
        FormFields form = FormFields.of(request, List.of(LABEL, SCOPE, DAYS));
        Map<String, String> errors = errors(form);
        if (!errors.isEmpty()) {
            return show(HttpStatus.UNPROCESSABLE_CONTENT, form.refused(errors), null);
        }
        if (SingleUse.isRepeated(request)) {
            return Htmx.done(request, response, PATH, "This token exists already. Its text is shown only once.");
        }
        NewToken created = tokens.create(
                form.value(LABEL),
                Set.of(Scope.ofWord(form.value(SCOPE)).orElseThrow()),
                Duration.ofDays(Long.parseLong(form.value(DAYS))),
                Caller.of(request),
                RequestIds.of(request));
        return show(HttpStatus.CREATED, form.with(Map.of(LABEL, "")), created);
    }

    private static Map<String, String> errors(FormFields form) {
        Map<String, String> errors = new LinkedHashMap<>();
        if (!Tokens.isLabel(form.value(LABEL))) {
            errors.put(
                    LABEL,
                    "expected 1 to " + Tokens.MAX_LABEL_LENGTH
                            + " printable characters, without quotes and backslashes");
        }
        if (Scope.ofWord(form.value(SCOPE)).isEmpty()) {
            errors.put(SCOPE, "expected read, publish or admin");
        }
        int days = Pattern.matches("[0-9]{1,4}", form.value(DAYS)) ? Integer.parseInt(form.value(DAYS)) : 0;
        if (days < 1 || days > MAX_DAYS) {
            errors.put(DAYS, "expected a number of days from 1 to " + MAX_DAYS);
        }
        return errors;
    }

    @GetMapping(PATH + "/{id}/revoke")
    String confirm(@PathVariable String id, Model model) {
        model.addAttribute("token", tokens.find(idOf(id)).orElseThrow(() -> notFound(id)));
        return "admin/tokens/revoke";
    }

    @PostMapping(PATH + "/{id}/revoke")
    ModelAndView revoke(@PathVariable String id, HttpServletRequest request, HttpServletResponse response) {
        Token token = tokens.revoke(idOf(id), Caller.of(request), RequestIds.of(request))
                .orElseThrow(() -> notFound(id));
        return Htmx.done(
                request,
                response,
                PATH,
                "Token " + token.label() + " is revoked. All servers refuse it within a second.");
    }

    private static UUID idOf(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw notFound(text);
        }
    }

    private static ProblemException notFound(String id) {
        return new ProblemException(Problem.of(
                HttpStatus.NOT_FOUND, "token_not_found", "No such token", "no token has id " + HostileText.quote(id)));
    }

    private ModelAndView show(HttpStatus status, FormFields form, @Nullable NewToken created) {
        return new ModelAndView("admin/tokens/page", status)
                .addObject("tokens", tokens.all().reversed())
                .addObject("form", form)
                .addObject("created", created);
    }
}
