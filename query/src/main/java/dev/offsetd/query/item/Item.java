package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeNames;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One thing asked for.
 *
 * @param text the item exactly as it was sent; the key of its answer
 * @param alternatives what may answer it, in the order of preference; at least one
 */
public record Item(String text, List<Alternative> alternatives) {

    /**
     * Names that mean the same as an item with and without quotes; {@code tls} does not. The group is possessive: any other
     * one takes the stack, and names may have a hundred thousand scopes.
     */
    private static final Pattern PLAIN_MEMBER = Pattern.compile("[^.\\[\\]<>(){}'|,\\s-]*+");

    private static final Pattern PLAIN_NAME =
            Pattern.compile("(?!tls$)[A-Za-z_][A-Za-z_0-9]*(::[A-Za-z_][A-Za-z_0-9]*)*+");

    public Item {
        alternatives = List.copyOf(alternatives);
        if (alternatives.isEmpty()) {
            throw new IllegalArgumentException("an item has at least one alternative");
        }
    }

    /**
     * The item that asks for the type of this name, however long it is and whatever is in it; its text is the name, in
     * quotes if {@link ItemParser} needs them.
     */
    public static Item ofType(String name) {
        String text = PLAIN_NAME.matcher(name).matches() ? name : '"' + name + '"';
        return new Item(text, List.of(new Alternative.TypePath(text, null, true, List.of(name), List.of())));
    }

    /**
     * Names of the types to look for in a file to answer this item, {@linkplain TypeNames#normalize normalized}: without
     * scopes, and whole because some languages have names with scopes in them. A path whose name may have dots has more.
     */
    public Set<String> typeNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (alternative instanceof Alternative.TypePath path) {
                for (Alternative.Reading reading : path.readings()) {
                    names.add(simpleName(reading.typeName()));
                    String whole = TypeNames.normalize(reading.typeName());
                    names.add(whole);
                    String simple = TypeNames.unqualified(whole);
                    int scopeEnd = whole.length() - simple.length() - "::".length();
                    if (scopeEnd > 0 && reading.steps().isEmpty()) {
                        // The class of a static member.
                        String scope = TypeNames.unqualified(whole.substring(0, scopeEnd));
                        if (!scope.isBlank()) {
                            names.add(scope);
                        }
                    }
                }
            }
        }
        return names;
    }

    /** Names of the enumerators to look for in a file to answer this item, without scopes. */
    public Set<String> enumeratorNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (alternative instanceof Alternative.EnumeratorName enumerator) {
                names.add(simpleName(enumerator.name()));
            }
        }
        return names;
    }

    /** Names of variables to look for in a file, because they may be the static members that this item asks for. */
    public Set<String> staticMemberNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (!(alternative instanceof Alternative.TypePath path)) {
                continue;
            }
            for (Alternative.Reading reading : path.readings()) {
                if (reading.steps().size() == 1
                        && reading.steps().getFirst() instanceof Alternative.Step.Member(String member)) {
                    names.add(member);
                } else if (reading.steps().isEmpty() && reading.typeName().contains("::")) {
                    names.add(simpleName(reading.typeName()));
                }
            }
        }
        return names;
    }

    /** Whether symbols or thread-local storage must be known to answer this item. */
    public boolean needsSymbols() {
        return alternatives.stream()
                .anyMatch(alternative -> alternative instanceof Alternative.SymbolGlob
                        || alternative instanceof Alternative.ThreadLocalStorage);
    }

    /** Whether types must be known to answer this item. */
    public boolean needsTypes() {
        return alternatives.stream()
                .anyMatch(alternative -> alternative instanceof Alternative.TypePath
                        || alternative instanceof Alternative.EnumeratorName);
    }

    /** The name of the type set that this item asks for; empty if it asks for something else. */
    public Optional<String> setName() {
        return alternatives.getFirst() instanceof Alternative.TypeSet set ? Optional.of(set.name()) : Optional.empty();
    }

    /** The name of a member as a path has it: in quotes if it has a dot or another sign that paths have a use for. */
    public static String memberText(String name) {
        return PLAIN_MEMBER.matcher(name).matches() || name.indexOf('"') >= 0 ? name : '"' + name + '"';
    }

    static String simpleName(String name) {
        return TypeNames.unqualified(TypeNames.normalize(name));
    }
}
