package dev.offsetd.server.watches;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.ProblemException;

/** Problems of requests about watches. */
final class WatchProblems {

    private WatchProblems() {}

    /**
     * Returns the problem of an invalid watch: 400.
     *
     * @param location of the invalid part, such as {@code url}
     */
    static ProblemException bad(String location, String detail) {
        return ProblemException.badRequest("bad_watch", "The watch is invalid", detail)
                .with("place", location);
    }

    /** Returns the problem of an unknown watch: 404. */
    static ProblemException notFound(String id) {
        return ProblemException.notFound(
                "watch_not_found", "No such watch", "no watch has the id " + HostileText.quote(id));
    }

    /** Returns the problem of a change that the watches do not allow: 409. */
    static ProblemException conflict(String code, String title, String detail) {
        return ProblemException.conflict(code, title, detail);
    }
}
