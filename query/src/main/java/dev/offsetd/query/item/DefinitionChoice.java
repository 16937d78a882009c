package dev.offsetd.query.item;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.PartialName;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeIndex.EnumeratorDefinition;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which definitions of a build answer a name, by these rules in order:
 *
 * <ol>
 *   <li>A bare name sees every scope. A qualified name must be the whole qualified name, a name that contains scopes itself
 *       ({@code &core::ffi::CStr} in Rust), or start with the name of the function that the type is local to. Kind and
 *       language must match if they were given. {@code struct} and {@code class} match each other, as in C++, if the build
 *       has only the other one, or for a bare name only the other one at file scope.
 *   <li>Declarations and typedefs of them drop out. For a bare name without a language, so do definitions of size 0 in
 *       languages other than C and C++: they name a C type that is opaque there.
 *   <li>A bare name that a type at file scope has is that type's: types in scopes drop out.
 *   <li>Definitions of another byte order than the file's drop out if anything else is left.
 *   <li>Types local to a function drop out if anything else is left.
 *   <li>C and C++ come before other languages.
 *   <li>Tags come before typedefs, typedefs before base types.
 * </ol>
 */
final class DefinitionChoice {

    /** Most types that an answer lists for a partial name. */
    private static final int MAX_NAMED = 4;

    private final TypeIndex index;

    private final Language.@Nullable Family language;

    DefinitionChoice(TypeIndex index, Language.@Nullable Family language) {
        this.index = index;
        this.language = language;
    }

    /**
     * The definitions that a name stands for.
     *
     * @param definitions the definitions that answer, in the order of the debug information; empty if the name is only
     *     declared
     * @param alsoMatches definitions that rank behind because of their kind, at most {@link ItemResolver#MAX_VARIANTS}
     * @param detail why there are no definitions
     */
    record ChosenDefinitions(
            List<Definition> definitions,
            List<Definition> alsoMatches,
            @Nullable String detail) {}

    /** Returns the definitions of a type's name; empty if the build has none. */
    Optional<ChosenDefinitions> types(String name, @Nullable TypeKind kind) {
        return chosen(named(name), kind, isBare(name));
    }

    private static boolean isBare(String name) {
        String wanted = TypeNames.canonical(name);
        return TypeNames.unqualified(wanted).equals(wanted);
    }

    /** Returns every definition of this qualified name, in whatever function, in the language of this choice. */
    List<Definition> ofQualifiedName(String name) {
        return keep(index.definitionsOf(name).orElseGet(() -> amongBareNames(name)), this::isOfLanguage);
    }

    private List<Definition> amongBareNames(String name) {
        String wanted = TypeNames.canonical(name);
        return TypeNames.spellings(name).stream()
                .map(TypeNames::unqualified)
                .distinct()
                .flatMap(simple ->
                        index
                                .definitionsNamed(
                                        simple,
                                        qualified ->
                                                TypeNames.canonical(qualified).equals(wanted))
                                .stream())
                .toList();
    }

    private List<Definition> named(String name) {
        String wanted = TypeNames.canonical(name);
        boolean bare = isBare(name);
        List<Definition> all = new ArrayList<>();
        Set<String> lookedUp = new HashSet<>();
        for (String spelling : TypeNames.spellings(name)) {
            String simple = TypeNames.unqualified(spelling);
            if (lookedUp.add(simple)) {
                List<Definition> found = bare
                        ? index.definitionsNamed(simple)
                        : index.definitionsNamed(simple, qualified -> mayBeNamed(wanted, qualified));
                all.addAll(keep(found, definition -> bare || isNamed(wanted, definition)));
            }
            if (lookedUp.add(spelling)) {
                all.addAll(index.definitionsNamed(spelling));
            }
        }
        return all;
    }

    /**
     * Returns the definitions of a name whose scopes are separated by dots, as D and Fortran have them: {@code i.Impl} and,
     * because names of modules have dots themselves, {@code pkg.i.Impl} and {@code pkg::i::Impl}. Empty if no type has it.
     */
    Optional<ChosenDefinitions> dotted(String name, @Nullable TypeKind kind) {
        String wanted = withDots(TypeNames.canonical(name));
        String simple = wanted.substring(wanted.lastIndexOf('.') + 1);
        if (simple.isEmpty() || simple.length() == wanted.length()) {
            return Optional.empty();
        }
        List<Definition> found =
                index.definitionsNamed(simple, qualified -> withDots(qualified).equals(wanted));
        return chosen(
                keep(
                        found,
                        definition -> definition.language().family() == Language.Family.OTHER
                                && definition.function() == null),
                kind,
                false);
    }

    private static String withDots(String name) {
        return name.replace("::", ".");
    }

    /**
     * Returns the definitions of a partial name, see {@link PartialName}; empty if no type matches. If several types match,
     * a choice without definitions that has their names as the detail.
     */
    Optional<ChosenDefinitions> partly(String name, @Nullable TypeKind kind) {
        String simple = TypeNames.unqualified(TypeNames.canonical(name));
        boolean template = simple.indexOf('<') > 0;
        if (!template && simple.equals(TypeNames.canonical(name))) {
            // It was compared with the names of all scopes, but Go's have the path of their package.
            String type = TypeNames.withoutPackage(simple);
            List<Definition> found = type == null
                    ? index.goTypesNamed(simple)
                    : keep(
                            index.goTypesNamed(type),
                            definition -> TypeNames.normalize(definition.qualifiedName())
                                    .endsWith("/" + simple));
            return chosen(found, kind, false).map(DefinitionChoice::ofOneName);
        }
        Optional<PartialName> partial = PartialName.of(name, index.inlineNamespaces());
        Optional<PartialName> last = PartialName.of(simple, index.inlineNamespaces());
        if (partial.isEmpty() || last.isEmpty()) {
            return Optional.empty();
        }
        return partly(partial.get(), last.get(), simple, template, kind);
    }

    private Optional<ChosenDefinitions> partly(
            PartialName partial, PartialName last, String simple, boolean template, @Nullable TypeKind kind) {
        Set<String> candidates = new LinkedHashSet<>();
        if (template) {
            String start = TypeNames.template(simple) + "<";
            index.forEachTypeName(start, candidate -> {
                Deadline.checkCurrent();
                if (candidate.startsWith(start) && last.matches(candidate, Language.Family.RUST)) {
                    candidates.add(candidate);
                }
                return candidate.startsWith(start);
            });
        } else {
            candidates.addAll(TypeNames.spellings(simple));
        }
        List<Definition> found = candidates.stream()
                .flatMap(candidate -> index.definitionsNamed(candidate, partial::mayMatch).stream())
                .filter(definition -> matches(partial, definition))
                .toList();
        return chosen(found, kind, false).map(DefinitionChoice::ofOneName);
    }

    private static boolean matches(PartialName partial, Definition definition) {
        Deadline.checkCurrent();
        return partial.matches(definition.qualifiedName(), definition.language().family());
    }

    /**
     * Returns the static member of one of the classes, a definition before declarations; empty if there is none, or more
     * than one.
     */
    Optional<ItemOutcome> staticMember(List<Definition> classes, String name) {
        List<Variable> variables = index.variablesNamed(name);
        for (Definition definition : classes) {
            String wanted = TypeNames.canonical(definition.qualifiedName() + "::" + name);
            List<Variable> members = keep(
                    variables,
                    variable -> variable.function() == null
                            && wanted.equals(TypeNames.canonical(variable.qualifiedName())));
            List<ItemOutcome.StaticFound> defined = members.stream()
                    .filter(variable -> !variable.declaration())
                    .map(variable -> new ItemOutcome.StaticFound(definition, variable))
                    .toList();
            if (defined.size() == 1) {
                return Optional.of(defined.getFirst());
            }
            if (defined.isEmpty() && !members.isEmpty()) {
                return Optional.of(new ItemOutcome.Missed(
                        ItemStatus.DECLARATION_ONLY,
                        HostileText.quote(definition.qualifiedName() + "::" + name)
                                + " is static, and defined in another file"));
            }
        }
        return Optional.empty();
    }

    /** Types of different names are different types, of whatever kind: an interface of Go is a typedef, and no better a match. */
    private static ChosenDefinitions ofOneName(ChosenDefinitions choice) {
        Map<String, String> spellings = new LinkedHashMap<>();
        List<Definition> all = new ArrayList<>(choice.definitions);
        all.addAll(choice.alsoMatches);
        for (Definition definition : all) {
            spellings.putIfAbsent(TypeNames.canonical(definition.qualifiedName()), definition.qualifiedName());
        }
        List<String> names = List.copyOf(spellings.values());
        if (names.size() < 2) {
            return choice;
        }
        String first = names.stream().limit(MAX_NAMED).map(HostileText::quote).collect(Collectors.joining(", "));
        return new ChosenDefinitions(
                List.of(),
                List.of(),
                "the build has " + names.size() + " types that this name may refer to: " + first
                        + (names.size() > MAX_NAMED ? ", ..." : ""));
    }

    Optional<ChosenDefinitions> chosen(List<Definition> all, @Nullable TypeKind kind, boolean bare) {
        List<Definition> named = ofKind(keep(all, this::isOfLanguage), kind, bare);
        if (named.isEmpty()) {
            return Optional.empty();
        }
        List<Definition> complete = keep(named, definition -> !isDeclared(definition));
        if (bare && language == null) {
            complete = keep(complete, definition -> !isOpaque(definition));
        }
        if (bare) {
            complete = keepIfAny(complete, DefinitionChoice::isAtFileScope);
        }
        if (complete.isEmpty()) {
            return Optional.of(new ChosenDefinitions(List.of(), List.of(), whatThereIs(named)));
        }
        // GCC adds a second definition of the scalars in structs of the other byte order.
        complete = keepIfAny(complete, definition -> definition.shape().byteOrder() == null);
        List<Definition> ranked = rank(complete, Function.identity());
        int best = ranked.stream()
                .mapToInt(definition -> kindRank(definition.kind()))
                .min()
                .orElseThrow();
        return Optional.of(new ChosenDefinitions(
                keep(ranked, definition -> kindRank(definition.kind()) == best),
                ranked.stream()
                        .filter(definition -> kindRank(definition.kind()) != best)
                        .limit(ItemResolver.MAX_VARIANTS)
                        .toList(),
                null));
    }

    /**
     * Returns the enumerators of a name in the order of the debug information; empty if the build has none. A qualified
     * name gives the enumeration ({@code Color::RED}) or its scope.
     */
    List<EnumeratorDefinition> enumerators(String name) {
        String wanted = TypeNames.normalize(name);
        String simple = TypeNames.unqualified(wanted);
        List<EnumeratorDefinition> named = new ArrayList<>();
        List<EnumeratorDefinition> atFileScope = new ArrayList<>();
        for (EnumeratorDefinition enumerator : index.enumeratorsNamed(simple)) {
            String enumeration = TypeNames.normalize(enumerator.enumeration().qualifiedName());
            String scope = enumeration.substring(
                    0, enumeration.length() - TypeNames.unqualified(enumeration).length());
            boolean visible = simple.equals(wanted)
                    || isGlobally(wanted, enumeration + "::" + simple)
                    || isGlobally(wanted, scope + simple);
            if (visible && isOfLanguage(enumerator.enumeration())) {
                named.add(enumerator);
                if (scope.isEmpty() && enumerator.enumeration().function() == null) {
                    atFileScope.add(enumerator);
                }
            }
        }
        boolean exact = simple.equals(wanted) && !atFileScope.isEmpty();
        return rank(exact ? atFileScope : named, EnumeratorDefinition::enumeration);
    }

    private boolean isOfLanguage(Definition definition) {
        return language == null || language == definition.language().family();
    }

    /** Returns whether a definition of this qualified name may match: a check before its layout is read. */
    private static boolean mayBeNamed(String wanted, String qualifiedName) {
        int start = wanted.startsWith("::") ? 2 : 0;
        int end = start;
        while (end < wanted.length() && Character.isJavaIdentifierPart(wanted.charAt(end))) {
            end++;
        }
        return wanted.contains("()::")
                || (qualifiedName.startsWith(wanted.substring(start, end))
                        && isGlobally(wanted, TypeNames.canonical(qualifiedName)));
    }

    /**
     * Returns whether a qualified, canonical name is the definition's. A local type has its function in front:
     * {@code main()::T}.
     */
    private static boolean isNamed(String wanted, Definition definition) {
        Deadline.checkCurrent();
        String name = TypeNames.canonical(definition.qualifiedName());
        if (definition.function() == null || !wanted.endsWith("()::" + name)) {
            return isGlobally(wanted, name);
        }
        String function = TypeNames.canonical(definition.function());
        String asked = wanted.substring(0, wanted.length() - name.length() - "()::".length());
        return isGlobally(asked, function) || asked.equals(TypeNames.unqualified(function));
    }

    /** Returns whether a name is the definition's, with all of its scopes. */
    static boolean isWholeName(String name, Definition definition) {
        return isNamed(TypeNames.canonical(name), definition);
    }

    /** Returns whether two qualified names are equal; the wanted one may start at the global scope ({@code ::name}). */
    private static boolean isGlobally(String wanted, String qualifiedName) {
        return wanted.equals(qualifiedName) || wanted.equals("::" + qualifiedName);
    }

    private static List<Definition> ofKind(List<Definition> definitions, @Nullable TypeKind kind, boolean bare) {
        if (kind == null) {
            return definitions;
        }
        List<Definition> exact = keep(definitions, definition -> definition.kind() == kind);
        TypeKind other = switch (kind) {
            case STRUCT -> TypeKind.CLASS;
            case CLASS -> TypeKind.STRUCT;
            case UNION, ENUM, TYPEDEF, BASE -> kind;
        };
        List<Definition> either =
                keep(definitions, definition -> definition.kind() == kind || definition.kind() == other);
        boolean onlyDeclared = exact.stream().allMatch(DefinitionChoice::isDeclared);
        boolean onlyOtherAtFileScope = bare && !isDefinedAtFileScope(exact) && isDefinedAtFileScope(either);
        return onlyDeclared || onlyOtherAtFileScope ? either : exact;
    }

    private static boolean isDefinedAtFileScope(List<Definition> definitions) {
        return definitions.stream().anyMatch(definition -> isAtFileScope(definition) && !isDeclared(definition));
    }

    private static boolean isAtFileScope(Definition definition) {
        // gfortran puts types of modules there.
        return definition.function() == null
                && !definition.language().isFortran()
                && definition.qualifiedName().equals(definition.name());
    }

    private static boolean isDeclared(Definition definition) {
        return definition.shape().peeled() instanceof IncompleteShape incomplete
                && !(incomplete.reason() instanceof IncompleteShape.Reason.Unsupported);
    }

    private static boolean isOpaque(Definition definition) {
        return !definition.language().family().ranksFirst()
                && definition.shape().peeled() instanceof AggregateShape aggregate
                && aggregate.byteSize() == 0;
    }

    private static String whatThereIs(List<Definition> named) {
        Set<String> opaque = named.stream()
                .filter(definition -> !isDeclared(definition))
                .map(definition -> definition.language().name())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        if (opaque.isEmpty()) {
            return named.stream()
                    .map(definition -> definition.shape().peeled())
                    .flatMap(shape -> shape instanceof IncompleteShape incomplete
                                    && incomplete.reason() instanceof IncompleteShape.Reason.Unread
                            ? Stream.of(incomplete.reason().text())
                            : Stream.empty())
                    .findFirst()
                    .orElse("the build only declares it");
        }
        return "defined with size 0 in " + String.join(", ", opaque)
                + "; select that definition by its language or qualified name";
    }

    /** Drops types local to functions and languages that rank behind, if anything else is left. */
    private static <T> List<T> rank(List<T> found, Function<T, Definition> definition) {
        List<T> visible = keepIfAny(found, each -> definition.apply(each).function() == null);
        return keepIfAny(
                visible, each -> definition.apply(each).language().family().ranksFirst());
    }

    private static int kindRank(TypeKind kind) {
        return switch (kind) {
            case STRUCT, UNION, CLASS, ENUM -> 0;
            case TYPEDEF -> 1;
            case BASE -> 2;
        };
    }

    static <T> List<T> keepIfAny(List<T> all, Predicate<T> condition) {
        List<T> kept = keep(all, condition);
        return kept.isEmpty() ? all : kept;
    }

    private static <T> List<T> keep(List<T> all, Predicate<T> condition) {
        return all.stream().filter(condition).toList();
    }
}
