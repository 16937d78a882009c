package dev.offsetd.server.admin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.access.tokens.Tokens.NewToken;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;

/** Lists, creates and revokes tokens. */
@Controller
class TokensController {

    private static final String PATH = "/admin/tokens";
    /** Longest lifetime: about ten years. */
    private static final int MAX_DAYS = 3660;

    private final Tokens tokens;

    TokensController(Tokens tokens) {
        this.tokens = tokens;
    }

    /** The form of a token. */
    record TokenForm(
            String label,

            @Pattern(regexp = "read|publish|admin", message = "expected read, publish or admin")
            String scope,

            String days) {

        TokenForm(@Nullable String label, @Nullable String scope, @Nullable String days) {
            this.label = Objects.toString(label, "").strip();
            this.scope = Objects.toString(scope, "").strip();
            this.days = Objects.toString(days, "").strip();
        }

        static TokenForm empty() {
            return new TokenForm("", Scope.READ.word(), Long.toString(Tokens.USUAL_LIFETIME.toDays()));
        }
    }

    @GetMapping(PATH)
    ModelAndView page(HttpServletRequest request) {
        return show(HttpStatus.OK, ListQuery.of(request, Set.of())).addObject("form", TokenForm.empty());
    }

    /** Creates a token, and shows it in this response only. After a redirect, it would have to wait in the session. */
    @PostMapping(PATH)
    ModelAndView create(
            @Valid @ModelAttribute("form") TokenForm form, BindingResult errors, HttpServletRequest request) {
        String label = form.label();
        if (!Tokens.isLabel(label)) {
            errors.rejectValue(
                    "label",
                    "malformed",
                    "expected 1 to " + Tokens.MAX_LABEL_LENGTH
                            + " printable characters, without quotes and backslashes");
        }
        int days = Format.number(form.days(), MAX_DAYS);
        if (days < 1) {
            errors.rejectValue("days", "malformed", "expected a number of days from 1 to " + MAX_DAYS);
        }
        if (errors.hasErrors()) {
            return show(HttpStatus.UNPROCESSABLE_CONTENT, ListQuery.ofStart(PATH));
        }
        if (SingleUse.isRepeated(request)) {
            return Htmx.done(PATH, "This token exists already. Its text is shown only once.");
        }
        NewToken created = tokens.create(
                label,
                Set.of(Word.find(Scope.class, form.scope()).orElseThrow()),
                Duration.ofDays(days),
                Actor.of(request));
        return show(HttpStatus.CREATED, ListQuery.ofStart(PATH))
                .addObject("form", new TokenForm("", form.scope(), form.days()))
                .addObject("created", created);
    }

    @GetMapping(PATH + "/{id}/revoke")
    String confirm(@PathVariable String id, Model model) {
        model.addAttribute("token", tokens.find(idOf(id)).orElseThrow(() -> notFound(id)));
        return "admin/tokens/revoke";
    }

    @PostMapping(PATH + "/{id}/revoke")
    ModelAndView revoke(@PathVariable String id, HttpServletRequest request) {
        Token token = tokens.revoke(idOf(id), Actor.of(request)).orElseThrow(() -> notFound(id));
        return Htmx.done(PATH, "Token " + token.label() + " is revoked. All servers refuse it within a second.");
    }

    private static UUID idOf(String text) {
        return Ids.uuid(text).orElseThrow(() -> notFound(text));
    }

    private static ProblemException notFound(String id) {
        return ProblemException.notFound(
                "token_not_found", "No such token", "no token has id " + HostileText.quote(id));
    }

    private ModelAndView show(HttpStatus status, ListQuery query) {
        return new ModelAndView("admin/tokens/page", status).addObject("list", tokens.page(query));
    }
}
