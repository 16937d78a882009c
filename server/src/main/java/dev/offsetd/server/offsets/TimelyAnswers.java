package dev.offsetd.server.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.asking.AskedBuilds;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Answers questions at once if their answer is kept, else as soon as their build is stored. */
@Component
class TimelyAnswers {

    private final AskedBuilds asked;
    private final Answers answers;

    TimelyAnswers(AskedBuilds asked, Answers answers) {
        this.asked = asked;
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
    Optional<Answer> answer(BuildId id, Question question, ContentCoding coding, Duration wait) {
        Optional<Answer> known = answers.find(id, question.text(), coding);
        if (known.isPresent()) {
            answers.countFromMemory();
            return known;
        }
        answers.requireSets(question);
        Answers.Shelf shelf = answers.shelf(id);
        return asked.answerOrPinned(
                id,
                wait,
                (build, file) -> answers.give(shelf, build, file, question, coding),
                build -> answers.giveFromPins(build, question, coding));
    }
}
