package dev.offsetd.server.offsets;

import dev.offsetd.extractor.catalogue.StoredCatalogue;
import dev.offsetd.extractor.item.ItemAnswer;
import dev.offsetd.extractor.item.ItemResolver;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.catalogues.Catalogues;
import java.util.List;
import org.springframework.stereotype.Component;

/** Answers the items of questions from what is stored of a build. */
@Component
class StoredItems {

    private final Catalogues catalogues;

    StoredItems(Catalogues catalogues) {
        this.catalogues = catalogues;
    }

    /** The answers to the items of a question, in their order. */
    List<ItemAnswer> answer(Build build, Question question) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        return question.items().stream()
                .map(item -> ItemResolver.resolve(item, types, question.language()))
                .toList();
    }
}
