package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Definitions and symbols that items stand for, by the rules by which items are answered. Not thread-safe. */
final class ItemRoots {

    private final BuildContents build;
    private final ItemResolver resolver;
    private final List<Definition> definitions = new ArrayList<>();
    private final List<TypeShape> values = new ArrayList<>();
    private final Set<String> symbols = new HashSet<>();

    ItemRoots(BuildContents build) {
        this.build = build;
        this.resolver = new ItemResolver(build, null);
    }

    /** Returns the definitions of types, and of those that paths, enumerators and static members belong to. */
    List<Definition> definitions() {
        return definitions;
    }

    /** Returns the types of the variables that symbols name. */
    List<TypeShape> values() {
        return values;
    }

    /** Returns the names of symbols. */
    Set<String> symbols() {
        return symbols;
    }

    void add(Definition definition) {
        definitions.add(definition);
    }

    /** Adds what items stand for. Type sets are not looked up; callers expand them. */
    void add(List<Item> items, Omissions omissions) {
        for (Item item : items) {
            if (item.setName().isEmpty()) {
                add(item, omissions);
            }
        }
    }

    private void add(Item item, Omissions omissions) {
        ItemOutcome outcome = resolver.resolve(item).outcome();
        switch (outcome) {
            case ItemOutcome.TypeFound found -> add(found.definition());
            case ItemOutcome.PathFound found -> add(found.definition());
            case ItemOutcome.EnumeratorFound found -> add(found.found().enumeration());
            case ItemOutcome.StaticFound found -> {
                add(found.definition());
                symbols.add(found.variable().symbolName());
            }
            case ItemOutcome.PlanFound found -> add(found.definition());
            case ItemOutcome.VariableFound found when found.name() != null -> symbols.add(found.name());
            case ItemOutcome.CrossesPointer crosses -> add(crosses.definition());
            case ItemOutcome.Computed computed -> add(computed.definition());
            case ItemOutcome.SymbolsFound found -> {
                found.symbols().forEach(this::add);
                if (found.symbols().size() < found.total()) {
                    omissions.add(item.text(), OmissionReason.TOO_MANY);
                }
            }
            default ->
                omissions.add(
                        item.text(),
                        outcome.status() == ItemStatus.AMBIGUOUS ? OmissionReason.AMBIGUOUS : OmissionReason.NOT_FOUND);
        }
    }

    private void add(Symbol symbol) {
        symbols.add(symbol.name());
        for (Variable variable :
                build.types() == null ? List.<Variable>of() : build.types().variablesNamed(symbol.name())) {
            if (variable.address() == null || variable.address() == symbol.value()) {
                values.add(variable.type());
            }
        }
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
        BuildContents build = BuildContents.ofTypes(new TypeCatalogue(candidates, List.of()));
        ItemOutcome outcome =
                new ItemResolver(build, null, layouts).resolve(item).outcome();
        return outcome instanceof ItemOutcome.TypeFound found ? Optional.of(found.definition()) : Optional.empty();
    }
}
