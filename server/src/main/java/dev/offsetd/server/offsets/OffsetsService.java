package dev.offsetd.server.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.query.BuildQueries;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Answers questions at once if their answer is kept, else as soon as their build is stored. */
@Component
class OffsetsService {

    private final BuildQueries builds;
    private final AnswerCache answers;

    OffsetsService(BuildQueries builds, AnswerCache answers) {
        this.builds = builds;
        this.answers = answers;
    }

    /**
     * The answer.
     *
     * @param coding of its body
     * @param wait how long the caller wants to wait for a build that is not stored yet
     * @return empty if the build takes longer
     * @throws ProblemException if the build cannot be had, or the question names a type set that there is not
     */
    Optional<Answer> answer(BuildId id, OffsetsQuery query, ContentCoding coding, Duration wait) {
        Optional<Answer> known = answers.find(id, query.text(), coding);
        if (known.isPresent()) {
            answers.countFromMemory();
            return known;
        }
        answers.requireSets(query);
        AnswerCache.BuildEntry entry = answers.entry(id);
        return builds.answerOrPinned(
                id,
                wait,
                (build, file) -> answers.give(entry, build, file, query, coding),
                build -> answers.giveFromPins(build, query, coding));
    }
}
