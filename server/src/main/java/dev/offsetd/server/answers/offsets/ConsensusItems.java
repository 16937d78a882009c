package dev.offsetd.server.answers.offsets;

import dev.offsetd.query.consensus.ConsensusAnswer;
import java.util.List;
import java.util.Map;

/**
 * Items of a build that other builds answer.
 *
 * @param items as the first of these builds has them, with the pins of the build that is asked for
 * @param answers what each item rests on, by its text; items that the build's own symbols answer have none
 * @param agreement of the builds in all items
 */
record ConsensusItems(
        StoredItems.ResolvedItems items,
        Map<String, ConsensusAnswer> answers,
        ConsensusAnswer.Agreement agreement,
        SpeakerSelection selection) {

    ConsensusItems {
        answers = Map.copyOf(answers);
    }

    /** Returns the agreement in all of these answers: as many different ones as of the item that has most. */
    static ConsensusAnswer.Agreement agreement(List<ConsensusAnswer> answers, SpeakerSelection selection) {
        int distinct = answers.stream()
                .mapToInt(answer -> answer.agreement().distinct())
                .max()
                .orElse(0);
        return answers.stream()
                .map(ConsensusAnswer::agreement)
                .filter(agreement -> agreement.distinct() == distinct)
                .findFirst()
                .orElseGet(() -> ConsensusAnswer.Agreement.of(selection.speakers(), distinct));
    }
}
