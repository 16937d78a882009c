package dev.offsetd.server.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.query.BuildQueries;
import dev.offsetd.server.query.UnstoredAnswer;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Answers queries from the cache, or from the build once it is extracted. */
@Component
class OffsetsService {

    private final BuildQueries builds;
    private final AnswerCache answers;
    private final ConsensusAnswers consensus;

    OffsetsService(BuildQueries builds, AnswerCache answers, ConsensusAnswers consensus) {
        this.consensus = consensus;
        this.builds = builds;
        this.answers = answers;
    }

    /**
     * Answers a query.
     *
     * @param wait how long the caller waits for a build that is not extracted yet
     * @return empty if the build takes longer
     * @throws ProblemException if the build is unavailable, or a type set is unknown
     */
    Optional<Answer> answer(BuildId id, OffsetsQuery query, ContentCoding coding, Duration wait) {
        Optional<Answer> cached = answers.find(id, query.text().exact(), coding);
        if (cached.isPresent()) {
            answers.countFromMemory();
            return cached;
        }
        answers.requireSets(query);
        AnswerCache.BuildEntry entry = answers.entry(id);
        Optional<Answer> known = answers.renderKnown(entry, query, coding);
        if (known.isPresent()) {
            return known;
        }
        return builds.answerOrFallback(
                id,
                wait,
                new UnstoredAnswer<>(
                        answers.requestedNames(query), unstored -> answers.renderUnstored(unstored, query, coding)),
                (build, file) -> answers.render(entry, build, file, query, coding),
                build -> answers.renderFromPins(build, query, coding),
                build -> consensus.render(build, query, coding));
    }
}
