package dev.offsetd.server.admin.tokens;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.admin.shell.SeeOther;
import dev.offsetd.server.tokens.NewToken;
import dev.offsetd.server.tokens.TokenState;
import dev.offsetd.server.tokens.Tokens;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/** Makes tokens and takes them back. */
@Controller
class TokensController {

    private static final String PAGE = "admin/tokens/page";

    /** Longest lifetime in days: ten years and a little. */
    private static final int MAX_DAYS = 3660;

    private final Tokens tokens;

    TokensController(Tokens tokens) {
        this.tokens = tokens;
    }

    @GetMapping("/admin/tokens")
    String page(Model model) {
        model.addAttribute(
                "tokens",
                shown(
                        new TokensPage.Typed(
                                "", Scope.READ.word(), Long.toString(Tokens.USUAL_LIFETIME.toDays()), null, null, null),
                        null));
        return PAGE;
    }

    /**
     * Makes a token. The answer has its text, once: with a redirect, it would have to wait in the session, which is a row of
     * the database.
     */
    @PostMapping("/admin/tokens")
    ModelAndView create(
            @RequestParam(name = "label", defaultValue = "") String label,
            @RequestParam(name = "scope", defaultValue = "") String scope,
            @RequestParam(name = "days", defaultValue = "") String days,
            HttpServletRequest request,
            HttpServletResponse response,
            Model model) {
        TokensPage.Typed typed = checked(label.strip(), scope, days.strip());
        if (typed.wrong()) {
            model.addAttribute("tokens", shown(typed, null));
            return new ModelAndView(PAGE, HttpStatus.UNPROCESSABLE_CONTENT);
        }
        NewToken made = tokens.create(
                typed.label(),
                Scope.ofWord(scope).stream().collect(Collectors.toUnmodifiableSet()),
                Duration.ofDays(Long.parseLong(typed.days())),
                Caller.of(request),
                RequestIds.of(request));
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        model.addAttribute(
                "tokens",
                shown(
                        new TokensPage.Typed("", scope, typed.days(), null, null, null),
                        new TokensPage.Made(made.text(), made.token().label())));
        return new ModelAndView(PAGE, HttpStatus.CREATED);
    }

    private static TokensPage.Typed checked(String label, String scope, String days) {
        String labelError = null;
        if (label.isEmpty()
                || label.length() > Tokens.MAX_LABEL_LENGTH
                || !HostileText.quote(label).equals('"' + label + '"')) {
            labelError = "expected 1 to " + Tokens.MAX_LABEL_LENGTH
                    + " printable characters, without quotes and backslashes";
        }
        String scopeError = Scope.ofWord(scope).isEmpty() ? "expected read, publish or admin" : null;
        boolean number = days.matches("[0-9]{1,4}");
        int given = number ? Integer.parseInt(days) : 0;
        String daysError = given < 1 || given > MAX_DAYS ? "expected a number of days from 1 to " + MAX_DAYS : null;
        return new TokensPage.Typed(label, scope, days, labelError, scopeError, daysError);
    }

    @GetMapping("/admin/tokens/{id}/revoke")
    String confirm(@PathVariable String id, Model model) {
        TokenState state = tokens.find(idOf(id)).orElseThrow(() -> notFound(id));
        model.addAttribute("token", row(state, Instant.now()));
        return "admin/tokens/revoke";
    }

    @PostMapping("/admin/tokens/{id}/revoke")
    String revoke(@PathVariable String id, HttpServletRequest request, RedirectAttributes next) {
        TokenState state = tokens.revoke(idOf(id), Caller.of(request), RequestIds.of(request))
                .orElseThrow(() -> notFound(id));
        next.addFlashAttribute(
                "notice", "Token " + state.token().label() + " is revoked. Servers refuse it within a second.");
        return SeeOther.to(request, "/admin/tokens");
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

    private TokensPage shown(TokensPage.Typed typed, TokensPage.@Nullable Made made) {
        Instant now = Instant.now();
        List<TokensPage.Row> rows = new ArrayList<>(
                tokens.all().stream().map(state -> row(state, now)).toList());
        return new TokensPage(rows.reversed(), typed, made);
    }

    private static TokensPage.Row row(TokenState state, Instant now) {
        boolean revoked = state.token().revokedAt() != null;
        boolean expired = !state.token().expiresAt().isAfter(now);
        Set<Scope> scopes = state.token().scopes();
        return new TokensPage.Row(
                state.token().id().toString(),
                state.token().label(),
                scopes.stream().sorted().map(Scope::word).collect(Collectors.joining(", ")),
                Moment.of(state.createdAt()),
                Moment.of(state.token().expiresAt()),
                state.lastUsedAt() == null ? null : Moment.of(state.lastUsedAt()),
                revoked ? "revoked" : expired ? "expired" : "good",
                revoked ? "badge-bad" : expired ? "badge-quiet" : "badge-ok",
                !revoked);
    }
}
