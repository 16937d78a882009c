package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Conditions of a change (RFC 9110 section 13.1).
 *
 * @param match tags of {@code If-Match}; empty if absent
 * @param noneMatch tags of {@code If-None-Match}; empty if absent
 */
public record Precondition(List<org.springframework.http.ETag> match, List<org.springframework.http.ETag> noneMatch) {

    public Precondition {
        match = List.copyOf(match);
        noneMatch = List.copyOf(noneMatch);
    }

    /** Parses the headers of a request; 400 if they are malformed. */
    public static Precondition of(HttpServletRequest request) {
        return new Precondition(tags(request, HttpHeaders.IF_MATCH), tags(request, HttpHeaders.IF_NONE_MATCH));
    }

    /** Returns the condition that a resource still has a validator, given in quotes. Malformed text matches nothing. */
    public static Precondition unchangedSince(String etag) {
        List<org.springframework.http.ETag> tags = org.springframework.http.ETag.parse(etag);
        return new Precondition(
                tags.isEmpty() ? List.of(new org.springframework.http.ETag("", false)) : tags, List.of());
    }

    /** Returns the condition that the resource does not exist yet. */
    public static Precondition isNew() {
        return new Precondition(List.of(), org.springframework.http.ETag.parse("*"));
    }

    private static List<org.springframework.http.ETag> tags(HttpServletRequest request, String header) {
        List<org.springframework.http.ETag> tags = new ArrayList<>();
        for (String value : Collections.list(request.getHeaders(header))) {
            List<org.springframework.http.ETag> read = org.springframework.http.ETag.parse(value);
            if (read.isEmpty()) {
                // Ignoring the header would permit a change that the client excluded.
                throw ProblemException.badRequest(
                        "bad_precondition",
                        "A precondition cannot be read",
                        header + " " + HostileText.quote(value) + "; expected * or entity tags in quotes");
            }
            tags.addAll(read);
        }
        return tags;
    }

    /** Requires {@code If-Match}, else 428: a change without it could silently undo another one. */
    public void requireMatch() {
        if (match.isEmpty()) {
            throw ProblemException.of(
                    HttpStatus.PRECONDITION_REQUIRED,
                    "precondition_required",
                    "A precondition is required",
                    "header If-Match is missing; expected the ETag of the resource to change");
        }
    }

    /**
     * Checks the conditions.
     *
     * @param what kind of the resource: {@code type set}
     * @param current validators of the resource; empty if it does not exist
     * @throws ProblemException if a condition fails: 412
     */
    public void check(String what, Set<String> current) {
        // If-Match compares strongly, If-None-Match weakly.
        if (!match.isEmpty() && match.stream().noneMatch(tag -> !tag.weak() && fits(tag, current))) {
            throw stale(
                    what,
                    current.isEmpty()
                            ? "If-Match is given, but the " + what + " does not exist"
                            : "If-Match is outdated: the " + what + " has changed");
        }
        if (noneMatch.stream().anyMatch(tag -> fits(tag, current))) {
            throw stale(what, "If-None-Match matches: the " + what + " exists");
        }
    }

    private static boolean fits(org.springframework.http.ETag tag, Set<String> current) {
        return tag.isWildcard() ? !current.isEmpty() : current.contains('"' + tag.tag() + '"');
    }

    /** Returns the problem of a change to a resource that is not as expected: 412. */
    public static ProblemException stale(String what, String detail) {
        return ProblemException.of(
                HttpStatus.PRECONDITION_FAILED, "stale_edit", "The " + what + " is not as expected", detail);
    }
}
