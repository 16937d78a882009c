package dev.offsetd.server.offsets;

import dev.offsetd.extractor.blob.CorruptBlobException;
import dev.offsetd.extractor.item.Coverage;
import dev.offsetd.extractor.item.Outcome;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.web.Form;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** How much of type sets stored builds have. Nothing is fetched for it. */
@Component
public class SetCoverage {

    private final StoredItems items;

    SetCoverage(StoredItems items) {
        this.items = items;
    }

    /**
     * How much of a set a build has.
     *
     * @param build whose types are stored
     * @param set name of the set
     * @return empty if what is stored cannot be read here, because another version has stored it
     * @throws dev.offsetd.server.web.ProblemException if there is no such set: 400
     */
    public Optional<Coverage> of(Build build, String set) {
        try {
            Question question = Question.ofItems(List.of("@" + set), Optional.empty(), Optional.empty(), Form.JSON);
            // The answer to a set comes before those to its items.
            return items.answer(build, question).answers().items().getFirst().outcome()
                            instanceof Outcome.SetFound found
                    ? Optional.of(found.coverage())
                    : Optional.empty();
        } catch (CorruptBlobException e) {
            return Optional.empty();
        }
    }
}
