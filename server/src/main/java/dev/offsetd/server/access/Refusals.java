package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.TokenCheck.Refusal;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.StatusProblems;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;

/** Problems of requests that are refused before they reach a controller. */
final class Refusals {

    private static final Duration DATABASE_RETRY_AFTER = Duration.ofSeconds(5);
    private static final String CHALLENGE = "Bearer realm=\"offsetd\"";
    private static final String REQUIRED_SCOPE = "requiredScope";

    private Refusals() {}

    /** See RFC 6750 section 3.1, {@code invalid_token}. */
    static Problem badToken(Refusal reason) {
        return Problem.of(HttpStatus.UNAUTHORIZED, "invalid_token", "The token is not accepted", reason.detail())
                .withHeader(
                        HttpHeaders.WWW_AUTHENTICATE,
                        CHALLENGE + ", error=\"invalid_token\", error_description=\"" + reason.detail() + "\"");
    }

    /** A challenge without an error, as RFC 6750 section 3.1 asks for. */
    static Problem noToken(Scope required) {
        return Problem.of(
                        HttpStatus.UNAUTHORIZED,
                        "token_required",
                        "A token is required",
                        "this requires a token with scope " + required.word() + ", sent as Authorization: Bearer")
                .with(REQUIRED_SCOPE, required.word())
                .withHeader(HttpHeaders.WWW_AUTHENTICATE, CHALLENGE + ", scope=\"" + required.word() + "\"");
    }

    /** See RFC 6750 section 3.1, {@code insufficient_scope}. */
    static Problem lackingScope(Scope required) {
        return Problem.of(
                        HttpStatus.FORBIDDEN,
                        "insufficient_scope",
                        "The token may not do this",
                        "this requires a token with scope " + required.word())
                .with(REQUIRED_SCOPE, required.word())
                .withHeader(
                        HttpHeaders.WWW_AUTHENTICATE,
                        CHALLENGE + ", error=\"insufficient_scope\", scope=\"" + required.word() + "\"");
    }

    static Problem lackingRole(Scope required) {
        return Problem.of(
                        HttpStatus.FORBIDDEN,
                        "insufficient_role",
                        "Your role does not allow this",
                        "this requires the role " + required.word() + "; an administrator can give it to you")
                .with("requiredRole", required.word());
    }

    /** A preflight request of a site that may not read, or for something else than reading. */
    static Problem foreignScript() {
        return Problem.of(
                HttpStatus.FORBIDDEN,
                "origin_not_allowed",
                "Scripts of this site may not do this",
                "offsetd.cors.allowed-origins names the sites; their scripts may read, with the usual headers");
    }

    /** A form without the CSRF token of this session, or from a page loaded before sign-in. */
    static Problem foreignForm() {
        return Problem.of(
                HttpStatus.FORBIDDEN,
                "form_out_of_date",
                "The form cannot be accepted",
                "it does not belong to this session; reload the page and submit it again");
    }

    /** A token that is not in memory while the database is unavailable. */
    static Problem tokenCannotBeChecked() {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "database_unavailable",
                        "The database cannot be reached",
                        "this server does not know the token yet, and cannot reach the database")
                .retryAfter(DATABASE_RETRY_AFTER);
    }

    static Problem tooMany(Duration retryAfter) {
        return Problem.of(
                        HttpStatus.TOO_MANY_REQUESTS,
                        "rate_limited",
                        "Too many requests",
                        "this caller exceeds its rate limit")
                .retryAfter(retryAfter);
    }

    static Problem noRoute(String path) {
        return StatusProblems.of(HttpStatus.NOT_FOUND, "nothing is served at " + HostileText.quote(path));
    }

    static Problem otherMethods(String method, List<Route> routes) {
        String allowed = routes.stream()
                .map(Route::method)
                .flatMap(known -> known.equals(HttpMethod.GET) ? Stream.of(known, HttpMethod.HEAD) : Stream.of(known))
                .map(HttpMethod::name)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return StatusProblems.of(
                        HttpStatus.METHOD_NOT_ALLOWED, "method " + HostileText.quote(method) + "; expected " + allowed)
                .withHeader(HttpHeaders.ALLOW, allowed);
    }

    /** A request that the firewall rejected. */
    static Problem deceptive() {
        return StatusProblems.of(HttpStatus.BAD_REQUEST, "the path or a header is ambiguous");
    }
}
