package dev.offsetd.query.item;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * An item: a type, member path, enumerator, symbol or type set that a client asks for.
 *
 * @param text the item exactly as sent; the key of its answer
 * @param alternatives the alternatives in order of preference; at least one
 */
public record Item(String text, List<Alternative> alternatives) {

    /**
     * Names that mean the same with and without quotes, unlike {@code tls}. The group is possessive because any other one
     * recurses, and names may have a hundred thousand scopes.
     */
    private static final Pattern PLAIN_MEMBER = Pattern.compile("[^.\\[\\]<>(){}'|,\\s-]*");

    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*(::[A-Za-z_][A-Za-z_0-9]*)*");

    public Item {
        alternatives = List.copyOf(alternatives);
        if (alternatives.isEmpty()) {
            throw new IllegalArgumentException("an item has at least one alternative");
        }
    }

    /**
     * Returns the item for the type of this name, whatever characters it has. Its text is the name, in quotes if
     * {@link ItemParser} needs them.
     */
    public static Item ofType(String name) {
        String text = PLAIN_NAME.matcher(name).matches() && !name.equals("tls") ? name : '"' + name + '"';
        return new Item(text, List.of(new Alternative.TypePath(text, null, false, true, List.of(name), List.of())));
    }

    /**
     * Returns the names of types to extract for this item, {@linkplain TypeNames#normalize normalized}: without scopes, and
     * whole because names of some languages contain scopes. A path whose name may have dots has several.
     */
    public Set<String> typeNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (alternative instanceof Alternative.TypePath path && !path.variable()) {
                for (Alternative.TypeAndSteps split : path.splits()) {
                    names.add(simpleName(split.typeName()));
                    String whole = TypeNames.normalize(split.typeName());
                    names.add(whole);
                    // The dots of a Go name, or those between a module of D and its type.
                    String behindPackage = TypeNames.withoutPackage(whole);
                    names.add(behindPackage == null ? whole.substring(whole.lastIndexOf('.') + 1) : behindPackage);
                    String simple = TypeNames.unqualified(whole);
                    int scopeEnd = whole.length() - simple.length() - "::".length();
                    if (scopeEnd > 0 && split.steps().isEmpty()) {
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

    /**
     * Returns those of {@link #typeNames()} that C and C++ have for the first type of a path. The others are for languages
     * whose names contain dots or scopes.
     */
    public Set<String> simpleTypeNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (alternative instanceof Alternative.TypePath path && !path.variable()) {
                names.add(simpleName(path.splits().getLast().typeName()));
            }
        }
        return names;
    }

    /** Returns the names that these items have together. */
    public static Set<String> names(Collection<Item> items, Function<Item, Set<String>> ofItem) {
        return items.stream().flatMap(item -> ofItem.apply(item).stream()).collect(Collectors.toSet());
    }

    /** Returns the number of names that are looked up for these items: one for each of their alternatives. */
    public static int lookUps(Collection<Item> items) {
        return items.stream().mapToInt(item -> item.alternatives().size()).sum();
    }

    /** Returns the names of enumerators to extract for this item, without scopes. */
    public Set<String> enumeratorNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (alternative instanceof Alternative.EnumeratorName enumerator) {
                names.add(simpleName(enumerator.name()));
            }
        }
        return names;
    }

    /**
     * Returns the names of the variables that this item may start at.
     *
     * @param types all definitions of {@link #typeNames()}
     */
    public Set<String> rootVariableNames(TypeIndex types) {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (alternative instanceof Alternative.TypePath path && (path.variable() || !isOfType(path, types))) {
                for (Alternative.TypeAndSteps split : path.splits()) {
                    names.add(simpleName(split.typeName()));
                    names.add(TypeNames.normalize(split.typeName()));
                    VariableChoice.stem(split.typeName()).ifPresent(names::add);
                }
            }
        }
        return names;
    }

    private static boolean isOfType(Alternative.TypePath path, TypeIndex types) {
        return path.splits().stream()
                .anyMatch(split ->
                        !types.definitionsNamed(simpleName(split.typeName())).isEmpty());
    }

    /** Returns the names of variables to extract because they may be the static members of this item. */
    public Set<String> staticMemberNames() {
        Set<String> names = new LinkedHashSet<>();
        for (Alternative alternative : alternatives) {
            if (!(alternative instanceof Alternative.TypePath path)) {
                continue;
            }
            for (Alternative.TypeAndSteps split : path.splits()) {
                if (split.steps().size() == 1
                        && split.steps().getFirst() instanceof Alternative.PathStep.MemberStep(String member)) {
                    names.add(member);
                } else if (split.steps().isEmpty() && split.typeName().contains("::")) {
                    names.add(simpleName(split.typeName()));
                }
            }
        }
        return names;
    }

    /** Returns whether the answer needs symbols or thread-local storage. */
    public boolean needsSymbols() {
        return alternatives.stream()
                .anyMatch(alternative -> alternative instanceof Alternative.SymbolGlob
                        || alternative instanceof Alternative.ThreadLocalStorage);
    }

    /** Returns whether the answer needs types. */
    public boolean needsTypes() {
        return alternatives.stream()
                .anyMatch(alternative -> alternative instanceof Alternative.TypePath
                        || alternative instanceof Alternative.EnumeratorName);
    }

    /** Returns the name of the type set; empty if the item is none. */
    public Optional<String> setName() {
        return alternatives.getFirst() instanceof Alternative.TypeSetName set
                ? Optional.of(set.name())
                : Optional.empty();
    }

    /** Returns the name of a member as paths write it: in quotes if it has a dot or another special character. */
    public static String memberText(String name) {
        return PLAIN_MEMBER.matcher(name).matches() || name.indexOf('"') >= 0 ? name : '"' + name + '"';
    }

    static String simpleName(String name) {
        return TypeNames.unqualified(TypeNames.normalize(name));
    }
}
