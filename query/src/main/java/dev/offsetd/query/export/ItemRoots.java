package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Definitions that items stand for, by the rules by which items are answered. */
final class ItemRoots {

    private final TypeIndex index;

    ItemRoots(TypeIndex index) {
        this.index = index;
    }

    /** Returns the definitions of types, and of those that paths, enumerators and static members belong to. */
    List<Definition> of(List<Item> items, Omissions omissions) {
        List<Definition> roots = new ArrayList<>();
        for (Item item : items) {
            if (item.setName().isPresent()) {
                continue;
            }
            ItemOutcome outcome =
                    ItemResolver.resolve(item, index, Optional.empty()).outcome();
            switch (outcome) {
                case ItemOutcome.TypeFound found -> roots.add(found.definition());
                case ItemOutcome.PathFound found -> roots.add(found.definition());
                case ItemOutcome.EnumeratorFound found ->
                    roots.add(found.found().enumeration());
                case ItemOutcome.StaticFound found -> roots.add(found.definition());
                case ItemOutcome.CrossesPointer crosses -> roots.add(crosses.definition());
                case ItemOutcome.Computed computed -> roots.add(computed.definition());
                default ->
                    omissions.add(
                            item.text(),
                            outcome.status() == ItemStatus.AMBIGUOUS
                                    ? OmissionReason.AMBIGUOUS
                                    : OmissionReason.NOT_FOUND);
            }
        }
        return roots;
    }

    /** Returns the definition of one name of an export that an item of the name answers; empty if it is ambiguous. */
    static Optional<Definition> choose(List<Definition> candidates, LayoutEquality layouts) {
        Definition first = candidates.getFirst();
        if (candidates.stream().allMatch(other -> layouts.areEqual(first.shape(), other.shape()))) {
            return Optional.of(first);
        }
        if (candidates.stream().map(Definition::qualifiedName).distinct().count() > 1) {
            return Optional.empty();
        }
        Item item = Item.ofType(first.qualifiedName());
        ItemOutcome outcome = ItemResolver.resolve(item, new TypeCatalogue(candidates, List.of()), Optional.empty())
                .outcome();
        return outcome instanceof ItemOutcome.TypeFound found ? Optional.of(found.definition()) : Optional.empty();
    }
}
