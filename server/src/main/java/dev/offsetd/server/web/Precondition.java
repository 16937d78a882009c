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
 * What must be so for a change to be made (RFC 9110 §13.1).
 *
 * @param match tags of {@code If-Match}; empty if it is not given
 * @param noneMatch tags of {@code If-None-Match}; empty if it is not given
 */
public record Precondition(List<org.springframework.http.ETag> match, List<org.springframework.http.ETag> noneMatch) {

    public Precondition {
        match = List.copyOf(match);
        noneMatch = List.copyOf(noneMatch);
    }

    /**
     * The precondition that a request states.
     *
     * @throws ProblemException if it cannot be read: 400
     */
    public static Precondition of(HttpServletRequest request) {
        return new Precondition(tags(request, HttpHeaders.IF_MATCH), tags(request, HttpHeaders.IF_NONE_MATCH));
    }

    /** That it is still what somebody has read: it has this validator, in quotes. Text that is none fits nothing. */
    public static Precondition unchangedSince(String etag) {
        List<org.springframework.http.ETag> tags = org.springframework.http.ETag.parse(etag);
        return new Precondition(
                tags.isEmpty() ? List.of(new org.springframework.http.ETag("", false)) : tags, List.of());
    }

    /** That there is no such thing yet. */
    public static Precondition isNew() {
        return new Precondition(List.of(), org.springframework.http.ETag.parse("*"));
    }

    private static List<org.springframework.http.ETag> tags(HttpServletRequest request, String header) {
        List<org.springframework.http.ETag> tags = new ArrayList<>();
        for (String value : Collections.list(request.getHeaders(header))) {
            List<org.springframework.http.ETag> read = org.springframework.http.ETag.parse(value);
            if (read.isEmpty()) {
                // Passed over, it would let a change through that was not to be made.
                throw new ProblemException(Problem.of(
                        HttpStatus.BAD_REQUEST,
                        "bad_precondition",
                        "A precondition cannot be read",
                        header + " " + HostileText.quote(value) + "; expected * or entity tags in quotes"));
            }
            tags.addAll(read);
        }
        return tags;
    }

    /**
     * Requires that {@code If-Match} is given: what is changed without it undoes what others have changed.
     *
     * @throws ProblemException if it is not: 428
     */
    public void requireMatch() {
        if (match.isEmpty()) {
            throw new ProblemException(Problem.of(
                    HttpStatus.PRECONDITION_REQUIRED,
                    "precondition_required",
                    "A precondition is required",
                    "header If-Match is missing; expected the ETag of what is to be changed"));
        }
    }

    /**
     * Holds a change to it.
     *
     * @param what is changed: {@code type set}
     * @param current validators of what there is; empty if there is nothing
     * @throws ProblemException if it is not so: 412
     */
    public void check(String what, Set<String> current) {
        // Of If-Match weak tags never match; in If-None-Match it does not matter whether they are.
        if (!match.isEmpty() && match.stream().noneMatch(tag -> !tag.weak() && fits(tag, current))) {
            throw stale(
                    what,
                    current.isEmpty()
                            ? "If-Match is given, and there is no such " + what
                            : "If-Match names another " + what + " than there is now; somebody else has changed it");
        }
        if (noneMatch.stream().anyMatch(tag -> fits(tag, current))) {
            throw stale(what, "If-None-Match names what there is: the " + what + " exists");
        }
    }

    private static boolean fits(org.springframework.http.ETag tag, Set<String> current) {
        return tag.isWildcard() ? !current.isEmpty() : current.contains('"' + tag.tag() + '"');
    }

    /** The problem of a change to something that is not as expected any more: 412. */
    public static ProblemException stale(String what, String detail) {
        return new ProblemException(Problem.of(
                HttpStatus.PRECONDITION_FAILED, "stale_edit", "The " + what + " is not as expected", detail));
    }
}
