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

/** What callers are told who may not, or not now. */
final class Refusals {

    private static final Duration DATABASE_RETRY_AFTER = Duration.ofSeconds(5);
    private static final String CHALLENGE = "Bearer realm=\"offsetd\"";
    private static final String REQUIRED_SCOPE = "requiredScope";

    private Refusals() {}

    /** A token that is not accepted (RFC 6750 section 3.1: {@code invalid_token}). */
    static Problem badToken(Refusal reason) {
        return Problem.of(HttpStatus.UNAUTHORIZED, "invalid_token", "The token is not accepted", reason.detail())
                .withHeader(
                        HttpHeaders.WWW_AUTHENTICATE,
                        CHALLENGE + ", error=\"invalid_token\", error_description=\"" + reason.detail() + "\"");
    }

    /** No token where one is needed; a challenge without an error (RFC 6750 section 3.1). */
    static Problem noToken(Scope required) {
        return Problem.of(
                        HttpStatus.UNAUTHORIZED,
                        "token_required",
                        "A token is required",
                        "this needs a token with scope " + required.word() + ", sent as Authorization: Bearer")
                .with(REQUIRED_SCOPE, required.word())
                .withHeader(HttpHeaders.WWW_AUTHENTICATE, CHALLENGE + ", scope=\"" + required.word() + "\"");
    }

    /** A token that may not do this (RFC 6750 section 3.1: {@code insufficient_scope}). */
    static Problem lackingScope(Scope required) {
        return Problem.of(
                        HttpStatus.FORBIDDEN,
                        "insufficient_scope",
                        "The token may not do this",
                        "this needs a token with scope " + required.word())
                .with(REQUIRED_SCOPE, required.word())
                .withHeader(
                        HttpHeaders.WWW_AUTHENTICATE,
                        CHALLENGE + ", error=\"insufficient_scope\", scope=\"" + required.word() + "\"");
    }

    /** A user who may not do this. */
    static Problem lackingRole(Scope required) {
        return Problem.of(
                        HttpStatus.FORBIDDEN,
                        "insufficient_role",
                        "Your role does not allow this",
                        "this needs the role " + required.word() + "; an admin can give it to you")
                .with("requiredRole", required.word());
    }

    /** A form that none of this session's pages has, or one of a page from before signing in. */
    static Problem foreignForm() {
        return Problem.of(
                HttpStatus.FORBIDDEN,
                "form_out_of_date",
                "The form cannot be accepted",
                "it does not come from a page of this session; open the page again and send it from there");
    }

    /** A token that is not in memory while the database is away. */
    static Problem tokenCannotBeChecked() {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "database_unavailable",
                        "The database cannot be reached",
                        "the token is not known to this server yet, and the database cannot be asked")
                .retryAfter(DATABASE_RETRY_AFTER);
    }

    /** Too many requests. */
    static Problem tooMany(Duration retryAfter) {
        return Problem.of(
                        HttpStatus.TOO_MANY_REQUESTS,
                        "rate_limited",
                        "Too many requests",
                        "this caller asks more often than it may")
                .retryAfter(retryAfter);
    }

    /** A path that nothing is at. */
    static Problem noRoute(String path) {
        return StatusProblems.of(HttpStatus.NOT_FOUND, "nothing is served at " + HostileText.quote(path));
    }

    /** A path that something is at, for other methods. */
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

    /** A request that the firewall stopped. */
    static Problem deceptive() {
        return StatusProblems.of(
                HttpStatus.BAD_REQUEST, "the path, or a header, is written in a way that could mean something else");
    }
}
