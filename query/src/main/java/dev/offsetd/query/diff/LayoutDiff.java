package dev.offsetd.query.diff;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.OutcomeEquality;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import dev.offsetd.query.item.Suggestions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares types of two builds. Members are matched by name, those of unnamed structs and unions as the parent's own; a
 * renamed member counts as removed and added. A change in a type that is held by value is reported once, for that type, not
 * for each type that holds it. Used for one comparison; not thread-safe.
 */
public final class LayoutDiff {

    /** Begins the name of a typedef that shares its name with another type, as an item for it does. */
    public static final String NAMESAKE = TypeKind.TYPEDEF.word() + " ";

    /** Section whose types are all at file scope, those of functions too. */
    private static final String WITHOUT_FUNCTIONS = ".BTF";

    /** Most paths by which a type without a name is compared. Types that share their parts have more than memory. */
    private static final int MAX_PATHS = 100;

    /** Most changes that the items before one list: many items can name one type, whose changes each of them lists again. */
    static final int MAX_CHANGES = 200_000;

    /** Items whose layouts are compared once, however many of them hold a type. */
    private static final int RESOLVED_TOGETHER = 512;

    private final TypeIndex from;
    private final TypeIndex to;
    private final Language.@Nullable Family language;
    private final Suggestions suggestionsFrom;
    private final Suggestions suggestionsTo;

    private Comparison comparison;

    /** Items since the comparison was renewed. */
    private int resolved;

    /** Changes of members and enumerators so far. */
    private long changes;

    /** Types held by value that are still to be compared, and the names of all that were found. */
    private final Deque<PartsComparison.HeldTypes> pending = new ArrayDeque<>();

    /** Differences of further definitions of an ambiguous name. */
    private final List<TypeDiff> additional = new ArrayList<>();

    private final Set<String> met = new HashSet<>();

    /** How often each pair of types without a name was found. */
    private final IdentityHashMap<TypeShape, IdentityHashMap<TypeShape, Integer>> unnamed = new IdentityHashMap<>();

    /** Names of the types in the query, which are not compared again as parts of others. */
    private final Set<String> asked = new HashSet<>();

    private final PartsComparison parts = new PartsComparison();

    private LayoutDiff(TypeIndex from, TypeIndex to, Language.@Nullable Family language) {
        this.from = from.sharingLayouts();
        this.to = to.sharingLayouts();
        this.language = language;
        this.comparison = Comparison.of(this.from, this.to, language);
        this.suggestionsFrom = new Suggestions(BuildContents.ofTypes(this.from));
        this.suggestionsTo = new Suggestions(BuildContents.ofTypes(this.to));
    }

    /** Resolvers of both sides with the equality of their layouts. They hold all types that they have compared. */
    private record Comparison(ItemResolver from, ItemResolver to, OutcomeEquality equality) {

        static Comparison of(TypeIndex from, TypeIndex to, Language.@Nullable Family language) {
            LayoutEquality layouts = new LayoutEquality();
            return new Comparison(
                    new ItemResolver(BuildContents.ofTypes(from), language, layouts),
                    new ItemResolver(BuildContents.ofTypes(to), language, layouts),
                    new OutcomeEquality(layouts));
        }
    }

    /**
     * Compares the items, then the types that they hold by value. The result has all items, but of the types held by value
     * only those that differ.
     *
     * @param language the language of the types; null for any, C and C++ first
     */
    public static List<TypeDiff> ofItems(
            Collection<Item> items, TypeIndex from, TypeIndex to, Language.@Nullable Family language) {
        LayoutDiff diff = new LayoutDiff(from, to, language);
        List<TypeDiff> found = new ArrayList<>();
        for (Item item : items) {
            found.add(diff.item(item.text(), item));
        }
        diff.comparePending(found);
        return List.copyOf(found);
    }

    /**
     * Compares the types of these names and the types that they hold by value. The result has those that differ, sorted by
     * name. A type that is local to a function has it in front: {@code main()::T}.
     *
     * @param names qualified names, without functions
     */
    public static List<TypeDiff> ofNames(
            Set<String> names, TypeIndex from, TypeIndex to, Language.@Nullable Family language) {
        LayoutDiff diff = new LayoutDiff(from, to, language);
        List<TypeDiff> found = new ArrayList<>();
        names.stream().sorted().forEach(name -> diff.addTypes(name, found));
        diff.comparePending(found);
        found.sort(Comparator.comparing(TypeDiff::name));
        return List.copyOf(found);
    }

    /**
     * Where a name stands for one type.
     *
     * @param function the function that the type is local to, or null
     * @param language of the type; C for C++ too
     */
    private record Scope(@Nullable String function, Language.Family language) implements Comparable<Scope> {

        private static final Comparator<Scope> ORDER = Comparator.comparing(
                        Scope::function, Comparator.nullsFirst(Comparator.<String>naturalOrder()))
                .thenComparing(Scope::language);

        /** @param functions whether to tell apart the functions that types are local to */
        static NavigableMap<Scope, List<Definition>> group(List<Definition> definitions, boolean functions) {
            NavigableMap<Scope, List<Definition>> groups = new TreeMap<>();
            for (Definition definition : definitions) {
                Language.Family family = definition.language().family();
                Scope scope = new Scope(
                        functions ? definition.function() : null, family.ranksFirst() ? Language.Family.C : family);
                groups.computeIfAbsent(scope, _ -> new ArrayList<>()).add(definition);
            }
            return groups;
        }

        @Override
        public int compareTo(Scope other) {
            return ORDER.compare(this, other);
        }
    }

    /** Adds what differs in the types of a qualified name, of which each function and each language may have one. */
    private void addTypes(String name, List<TypeDiff> found) {
        Deadline.checkCurrent();
        renewComparison();
        List<Definition> old = comparison.from.definitions(name);
        List<Definition> now = comparison.to.definitions(name);
        boolean functions = Stream.concat(old.stream(), now.stream())
                .noneMatch(definition -> definition.section().equals(WITHOUT_FUNCTIONS));
        NavigableMap<Scope, List<Definition>> before = Scope.group(old, functions);
        NavigableMap<Scope, List<Definition>> after = Scope.group(now, functions);
        NavigableSet<Scope> scopes = new TreeSet<>(before.keySet());
        scopes.addAll(after.keySet());
        for (Scope scope : scopes) {
            addTypes(
                    scope.function == null ? name : scope.function + "()::" + name,
                    before.getOrDefault(scope, List.of()),
                    after.getOrDefault(scope, List.of()),
                    found);
        }
    }

    private void addTypes(String name, List<Definition> before, List<Definition> after, List<TypeDiff> found) {
        if (haveNamesake(before) || haveNamesake(after)) {
            // In C, a typedef may have the name of a tag and be another type.
            Predicate<Definition> tag = definition -> definition.kind() != TypeKind.TYPEDEF;
            addType(
                    name,
                    before.stream().filter(tag).toList(),
                    after.stream().filter(tag).toList(),
                    found);
            addType(
                    NAMESAKE + name,
                    before.stream().filter(tag.negate()).toList(),
                    after.stream().filter(tag.negate()).toList(),
                    found);
        } else {
            addType(name, before, after, found);
        }
    }

    /** Returns whether these are tags and typedefs of other types. */
    private static boolean haveNamesake(List<Definition> definitions) {
        return definitions.stream().anyMatch(definition -> definition.kind() != TypeKind.TYPEDEF)
                && definitions.stream()
                        .anyMatch(definition -> definition.kind() == TypeKind.TYPEDEF
                                && !tagOf(definition.shape()).equals(Optional.of(definition.qualifiedName())));
    }

    private void addType(String name, List<Definition> before, List<Definition> after, List<TypeDiff> found) {
        TypeDiff type = outcomes(name, comparison.from.ofDefinitions(before), comparison.to.ofDefinitions(after));
        if (type.status() != TypeDiff.Status.SAME && type.status() != TypeDiff.Status.NOT_FOUND) {
            found.add(type);
        }
    }

    private void comparePending(List<TypeDiff> found) {
        found.addAll(additional);
        additional.clear();
        while (!pending.isEmpty()) {
            Deadline.checkCurrent();
            PartsComparison.HeldTypes next = pending.removeFirst();
            if (asked.contains(next.name())) {
                continue;
            }
            TypeDiff diff = types(next.name(), next.from(), next.to(), null, null);
            if (diff.status() != TypeDiff.Status.SAME) {
                found.add(diff);
            }
        }
    }

    private TypeDiff item(String name, Item item) {
        if (!item.needsTypes()) {
            return typeDiff(
                    name,
                    TypeDiff.Status.NOT_COMPARABLE,
                    null,
                    null,
                    "only types, members and enumerators are compared");
        }
        Deadline.checkCurrent();
        if (changes >= MAX_CHANGES) {
            return typeDiff(
                    name,
                    TypeDiff.Status.NOT_COMPARABLE,
                    null,
                    null,
                    "the types before it have " + changes + " changes; expected fewer than " + MAX_CHANGES);
        }
        renewComparison();
        ItemAnswer before = comparison.from.resolve(item);
        ItemAnswer after = comparison.to.resolve(item);
        TypeDiff diff = outcomes(name, before.outcome(), after.outcome());
        return diff.status() == TypeDiff.Status.NOT_FOUND
                ? typeDiff(name, TypeDiff.Status.NOT_FOUND, null, null, similar(before, after))
                : diff;
    }

    private void renewComparison() {
        if (++resolved == RESOLVED_TOGETHER) {
            comparison = Comparison.of(from, to, language);
            resolved = 0;
        }
    }

    private @Nullable String similar(ItemAnswer before, ItemAnswer after) {
        Set<String> names = new LinkedHashSet<>(suggestionsFrom.addTo(before).suggestions());
        names.addAll(suggestionsTo.addTo(after).suggestions());
        String sentence =
                Suggestions.sentence(names.stream().limit(Suggestions.MAX_NAMES).toList());
        return sentence.isEmpty() ? null : sentence;
    }

    private TypeDiff outcomes(String name, ItemOutcome before, ItemOutcome after) {
        boolean was = isThere(before);
        boolean is = isThere(after);
        if (!was && !is) {
            return typeDiff(name, TypeDiff.Status.NOT_FOUND, null, null, null);
        }
        if ((before instanceof ItemOutcome.Ambiguous && !is) || (after instanceof ItemOutcome.Ambiguous && !was)) {
            return notComparable(name, before, after);
        }
        if (before instanceof ItemOutcome.Ambiguous || after instanceof ItemOutcome.Ambiguous) {
            return definitions(name, before, after);
        }
        if ((!was && comparison.from.isIncomplete(before)) || (!is && comparison.to.isIncomplete(after))) {
            return notComparable(name, before, after);
        }
        if (!was || !is) {
            return typeDiff(
                    name,
                    was ? TypeDiff.Status.REMOVED : TypeDiff.Status.ADDED,
                    was ? side(before) : null,
                    is ? side(after) : null,
                    withoutSide(was ? before : after));
        }
        return switch (before) {
            case ItemOutcome.TypeFound one
            when after instanceof ItemOutcome.TypeFound other -> {
                asked.add(one.definition().qualifiedName());
                yield types(name, one.definition().shape(), other.definition().shape(), null, null)
                        .ofDefinitions(one.definition(), other.definition());
            }
            case ItemOutcome.EnumeratorFound one
            when after instanceof ItemOutcome.EnumeratorFound other -> {
                String old =
                        PartsComparison.value(one.found().shape(), one.found().enumerator());
                String now = PartsComparison.value(
                        other.found().shape(), other.found().enumerator());
                yield new TypeDiff(
                        name,
                        old.equals(now) ? TypeDiff.Status.SAME : TypeDiff.Status.CHANGED,
                        side(before),
                        side(after),
                        List.of(),
                        old.equals(now) ? List.of() : List.of(new EnumeratorChange(PartsComparison.VALUE, old, now)),
                        null);
            }
            case ItemOutcome.Missed one
            when one.equals(after) || (one.status() == ItemStatus.DECLARATION_ONLY && after.status() == one.status()) ->
                typeDiff(name, TypeDiff.Status.SAME, null, null, null);
            case ItemOutcome.Computed _, ItemOutcome.CrossesPointer _
            when before.status() == after.status()
                    && comparison.equality.keyOf(before).equals(comparison.equality.keyOf(after)) ->
                typeDiff(name, TypeDiff.Status.SAME, null, null, null);
            default -> {
                List<Placement.Fixed> old = way(before);
                List<Placement.Fixed> now = way(after);
                yield old.isEmpty() || old.size() != now.size()
                        ? notComparable(name, before, after)
                        : places(name, old, now);
            }
        };
    }

    /** Returns the pointers on the way to a value, then the place of the value; empty if an outcome has none. */
    private static List<Placement.Fixed> way(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.PathFound path -> List.of(path.placement());
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                Stream.concat(plan.pointers().stream(), Stream.of(plan.target()))
                        .toList();
            case ItemOutcome.VariableFound variable -> way(variable.part());
            case ItemOutcome.StaticFound member ->
                List.of(Placement.Fixed.start(member.variable().type()));
            default -> List.of();
        };
    }

    private TypeDiff places(String name, List<Placement.Fixed> before, List<Placement.Fixed> after) {
        int last = before.size() - 1;
        TypeDiff target = types(
                name,
                before.get(last).type(),
                after.get(last).type(),
                MemberLayout.of(before.get(last)),
                MemberLayout.of(after.get(last)));
        List<MemberChange> members = new ArrayList<>();
        for (int i = 0; i < last; i++) {
            PartsComparison.addIfChanged(
                    members,
                    new MemberChange(
                            "pointer " + (i + 1), MemberLayout.of(before.get(i)), MemberLayout.of(after.get(i))));
        }
        return members.isEmpty() ? target : target.withMembers(members);
    }

    private static TypeDiff notComparable(String name, ItemOutcome before, ItemOutcome after) {
        boolean tells = before.status() != after.status();
        return typeDiff(
                name,
                TypeDiff.Status.NOT_COMPARABLE,
                side(before),
                side(after),
                (tells ? before.status().word() : kind(before)) + " before, "
                        + (tells ? after.status().word() : kind(after)) + " after");
    }

    private static String kind(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.TypeFound _ -> "type";
            case ItemOutcome.EnumeratorFound _ -> "enumerator";
            case ItemOutcome.VariableFound _, ItemOutcome.StaticFound _ -> "variable";
            case ItemOutcome.PathFound _ -> "member";
            case ItemOutcome.PlanFound _ -> "member behind pointers";
            default -> outcome.status().word();
        };
    }

    /** Returns a description of an outcome without size and offset; null if it has one. */
    private static @Nullable String withoutSide(ItemOutcome outcome) {
        if (side(outcome) != null) {
            return null;
        }
        return outcome.status() == ItemStatus.DECLARATION_ONLY
                ? "only declared"
                : outcome.status().word();
    }

    private static boolean isThere(ItemOutcome outcome) {
        return !(outcome instanceof ItemOutcome.Missed missed)
                || missed.status() == ItemStatus.DECLARATION_ONLY
                || missed.status() == ItemStatus.UNSUPPORTED;
    }

    /** Compares the definitions of an ambiguous name in pairs. */
    private TypeDiff definitions(String name, ItemOutcome before, ItemOutcome after) {
        DefinitionPairs definitions = DefinitionPairs.of(before, after, comparison.equality);
        List<TypeDiff> changed = new ArrayList<>();
        for (DefinitionPairs.Pair pair : definitions.pairs()) {
            TypeDiff diff = outcomes(name, pair.before().outcome(), pair.after().outcome());
            if (diff.status() == TypeDiff.Status.CHANGED) {
                changed.add(diff.withDetail("of several definitions, that of "
                        + HostileText.quote(pair.after().definition().unit())));
            } else if (diff.status() == TypeDiff.Status.NOT_COMPARABLE) {
                changed.add(diff);
            }
        }
        if (changed.isEmpty()) {
            return definitions.areAllPaired()
                    ? typeDiff(name, TypeDiff.Status.SAME, null, null, null)
                    : notComparable(name, before, after);
        }
        additional.addAll(changed.subList(1, changed.size()));
        return changed.getFirst();
    }

    private static TypeDiff typeDiff(
            String name,
            TypeDiff.Status status,
            TypeDiff.@Nullable TypeSide from,
            TypeDiff.@Nullable TypeSide to,
            @Nullable String detail) {
        return new TypeDiff(name, status, from, to, List.of(), List.of(), detail);
    }

    private static TypeDiff.@Nullable TypeSide side(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.TypeFound type ->
                new TypeDiff.TypeSide(
                        type.kind().word(), type.definition().shape().byteSize(), null, type.definition());
            case ItemOutcome.EnumeratorFound found ->
                new TypeDiff.TypeSide(
                        "enumerator", found.found().enumeration().shape().byteSize(), null, null);
            default -> {
                List<Placement.Fixed> way = way(outcome);
                yield way.isEmpty() ? null : side(way.getLast().type(), MemberLayout.of(way.getLast()));
            }
        };
    }

    private static TypeDiff.TypeSide side(TypeShape type, @Nullable MemberLayout place) {
        String kind = switch (type.peeled()) {
            case AggregateShape aggregate -> aggregate.kind().word();
            case EnumShape _ -> TypeKind.ENUM.word();
            case ArrayShape _ -> "array";
            default -> type instanceof AliasShape ? TypeKind.TYPEDEF.word() : "value";
        };
        return new TypeDiff.TypeSide(kind, type.byteSize(), place, null);
    }

    /** Compares two types, or two members. */
    private TypeDiff types(
            String name,
            TypeShape before,
            TypeShape after,
            @Nullable MemberLayout placeBefore,
            @Nullable MemberLayout placeAfter) {
        TypeDiff.TypeSide old = side(before, placeBefore);
        TypeDiff.TypeSide now = side(after, placeAfter);
        List<MemberChange> members = new ArrayList<>();
        List<EnumeratorChange> enumerators = new ArrayList<>();
        if (placeBefore != null && placeAfter != null) {
            PartsComparison.addIfChanged(members, new MemberChange(PartsComparison.VALUE, placeBefore, placeAfter));
            holdByValue(name, before, after);
        } else if (tagOf(before).isPresent() && before instanceof AliasShape) {
            // A typedef of a named type: changes in that type, including its size, are reported there.
            MemberChange change = PartsComparison.ofTargets(before, after);
            holdByValue(name, before, after);
            if (!change.kinds().contains(MemberChange.Kind.RETYPED)) {
                return typeDiff(name, TypeDiff.Status.SAME, old, now, null);
            }
            members.add(change);
        } else {
            PartsComparison.Parts found = parts.compare(before, after);
            if (found.problem() != null) {
                return typeDiff(name, TypeDiff.Status.NOT_COMPARABLE, old, now, found.problem());
            }
            members.addAll(found.members());
            enumerators.addAll(found.enumerators());
            found.held().forEach(held -> holdByValue(name + "." + held.name(), held.from(), held.to()));
        }
        changes += members.size() + enumerators.size();
        boolean same = members.isEmpty()
                && enumerators.isEmpty()
                && old.size() == now.size()
                && old.kind().equals(now.kind());
        return new TypeDiff(
                name, same ? TypeDiff.Status.SAME : TypeDiff.Status.CHANGED, old, now, members, enumerators, null);
    }

    /** Queues types held by value for comparison, each once: by name if both have one, else by path. */
    private void holdByValue(String path, TypeShape before, TypeShape after) {
        TypeShape one = elementOf(before);
        TypeShape other = elementOf(after);
        Optional<String> tag = tagOf(one).or(() -> typedefOf(one));
        if (!PartsComparison.areComparable(one, other)
                || !tag.equals(tagOf(other).or(() -> typedefOf(other)))) {
            return;
        }
        int found = tag.isPresent()
                ? 1
                : unnamed.computeIfAbsent(one.peeled(), _ -> new IdentityHashMap<>())
                        .merge(other.peeled(), 1, Integer::sum);
        String name = tag.orElse(path);
        if (found <= MAX_PATHS && met.add(name)) {
            pending.addLast(new PartsComparison.HeldTypes(name, one.peeled(), other.peeled()));
        }
    }

    private static TypeShape elementOf(TypeShape type) {
        TypeShape shape = type;
        while (shape.peeled() instanceof ArrayShape array) {
            shape = array.element();
        }
        return shape;
    }

    /** Returns the name of the typedef of an unnamed type. */
    private static Optional<String> typedefOf(TypeShape type) {
        TypeShape shape = type;
        while (shape instanceof AliasShape alias) {
            if (!(alias.target() instanceof AliasShape) && !alias.spelling().endsWith("}")) {
                return Optional.of(alias.spelling());
            }
            shape = alias.target();
        }
        return Optional.empty();
    }

    /** Returns the qualified name of a struct, union, class or enum. */
    private static Optional<String> tagOf(TypeShape type) {
        return switch (type.peeled()) {
            case AggregateShape aggregate
            when aggregate.name() != null -> Optional.of(MemberChange.comparable(aggregate.spelling()));
            case EnumShape enumeration
            when enumeration.name() != null -> Optional.of(MemberChange.comparable(enumeration.spelling()));
            default -> Optional.empty();
        };
    }
}
