package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeIndex;

/** Answers to items from the types of a test. */
final class ItemAnswers {

    private ItemAnswers() {}

    static ItemAnswer ask(String item, TypeIndex build) {
        return ItemResolver.resolve(ItemParser.parse(item), build, null);
    }

    static ItemAnswer ask(String item, TypeIndex build, Language.Family language) {
        return ItemResolver.resolve(ItemParser.parse(item), build, language);
    }

    static ItemOutcome.TypeFound type(String item, TypeIndex build) {
        return (ItemOutcome.TypeFound) ask(item, build).outcome();
    }

    static ItemOutcome.TypeFound type(String item, TypeIndex build, Language.Family language) {
        return (ItemOutcome.TypeFound) ask(item, build, language).outcome();
    }

    static Placement.Fixed place(String item, TypeIndex build) {
        return ((ItemOutcome.PathFound) ask(item, build).outcome()).placement();
    }
}
