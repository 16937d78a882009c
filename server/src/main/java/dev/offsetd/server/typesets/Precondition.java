package dev.offsetd.server.typesets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.springframework.http.ETag;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * What must be so for a change to be made (RFC 9110 §13.1).
 *
 * @param match tags of {@code If-Match}; empty if it is not given
 * @param noneMatch tags of {@code If-None-Match}; empty if it is not given
 */
record Precondition(List<ETag> match, List<ETag> noneMatch) {

    /**
     * The precondition that a request states.
     *
     * @throws ProblemException if it cannot be read: 400
     */
    static Precondition of(HttpServletRequest request) {
        return new Precondition(tags(request, HttpHeaders.IF_MATCH), tags(request, HttpHeaders.IF_NONE_MATCH));
    }

    private static List<ETag> tags(HttpServletRequest request, String header) {
        List<ETag> tags = new ArrayList<>();
        for (String value : Collections.list(request.getHeaders(header))) {
            List<ETag> read = ETag.parse(value);
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
     * Holds a change to it.
     *
     * @param current validators of what there is; empty if there is nothing
     * @throws ProblemException if it is not so: 412
     */
    void check(Set<String> current) {
        // Of If-Match weak tags never match; in If-None-Match it does not matter whether they are.
        if (!match.isEmpty() && match.stream().noneMatch(tag -> !tag.weak() && fits(tag, current))) {
            throw failed(
                    current.isEmpty()
                            ? "If-Match is given, and there is no such type set"
                            : "If-Match names other text than the type set has; somebody else has changed it");
        }
        if (noneMatch.stream().anyMatch(tag -> fits(tag, current))) {
            throw failed("If-None-Match names what there is: the type set exists");
        }
    }

    private static boolean fits(ETag tag, Set<String> current) {
        return tag.isWildcard() ? !current.isEmpty() : current.contains('"' + tag.tag() + '"');
    }

    private static ProblemException failed(String detail) {
        return new ProblemException(
                Problem.of(HttpStatus.PRECONDITION_FAILED, "stale_edit", "The type set is not as expected", detail));
    }
}
