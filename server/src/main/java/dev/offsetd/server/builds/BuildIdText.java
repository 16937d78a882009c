package dev.offsetd.server.builds;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import org.springframework.http.HttpStatus;

/** Parses build-ids in paths. */
public final class BuildIdText {

    private BuildIdText() {}

    /**
     * Parses the build-id in a path.
     *
     * @throws ProblemException if it is malformed: 400, with the position of the error
     */
    public static BuildId parse(String text) {
        try {
            return BuildId.parse(text);
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Problem.of(
                    HttpStatus.BAD_REQUEST,
                    "bad_build_id",
                    "Not a build-id",
                    "build-id " + HostileText.quote(text) + ": " + e.getMessage()));
        }
    }
}
