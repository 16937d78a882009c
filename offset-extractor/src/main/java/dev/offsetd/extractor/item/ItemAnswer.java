package dev.offsetd.extractor.item;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one item.
 *
 * @param matched the alternative that the answer is about, if the item had more than one and one of them exists; else
 *     null
 */
public record ItemAnswer(Item item, @Nullable Alternative matched, Outcome outcome) {

    public ItemStatus status() {
        return outcome.status();
    }

    /** Whether all of these were found: every item that is asked for by itself is required. */
    public static boolean complete(Collection<ItemAnswer> answers) {
        return answers.stream().allMatch(answer -> answer.status() == ItemStatus.FOUND);
    }
}
