package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Names similar to those that a build lacks, for the items of one query. A catalogue can have a million names, so only those
 * that share a beginning with the wanted name are compared, and at most some thousand members of a type. These limits depend
 * on nothing but the query: every server suggests the same. Not thread-safe.
 */
public final class Suggestions {

    /** Most names suggested for an item. */
    public static final int MAX_NAMES = 3;

    /** Cost of the names compared per beginning, and in a query. The unit is a character read: a million take 10 ms. */
    private static final int MAX_COST = 40_000;

    private static final int MAX_COST_TOGETHER = 3_000_000;

    /** A block of the catalogue is read. */
    private static final int COST_OF_BEGINNING = 5_000;

    private static final int COST_OF_NAME = 16;
    private static final int MAX_SYMBOLS = 1_000;

    /** Names longer than this are generated ones, which people do not type. */
    private static final int MAX_LENGTH = 80;

    /** Shorter names differ from those of a whole build in case only: one letter makes half of them any other name. */
    private static final int MIN_SEARCHED = 4;

    /** Shortest name to which an ending is suggested. */
    private static final int MIN_EXTENDED = 4;

    private final BuildContents build;
    private final @Nullable TypeIndex types;
    private final @Nullable SymbolSearch symbols;
    private int left = MAX_COST_TOGETHER;

    public Suggestions(BuildContents build) {
        this.build = build;
        this.types = build.types();
        this.symbols = build.symbols();
    }

    /** Returns those of the names that are similar to the wanted one, the most similar first. */
    public static List<String> similar(String wanted, Collection<String> names) {
        Map<String, Integer> distances = new TreeMap<>();
        for (String name : names) {
            compare(wanted, name, distances);
        }
        return nearest(distances);
    }

    /**
     * Returns the answer with suggestions if its type, variable, member, enumerator or symbol was not found, else the answer itself.
     */
    public ItemAnswer addTo(ItemAnswer answer) {
        Set<String> found = new LinkedHashSet<>();
        if (answer.status() == ItemStatus.TYPE_NOT_FOUND || answer.status() == ItemStatus.NOT_IN_BINARY) {
            for (Alternative alternative : answer.item().alternatives()) {
                found.addAll(similarTo(alternative));
            }
        } else if (answer.status() == ItemStatus.FIELD_NOT_FOUND
                && answer.outcome() instanceof ItemOutcome.Missed missed) {
            answer.item().alternatives().forEach(alternative -> found.addAll(variableOf(alternative)));
            if (missed.member() != null) {
                found.addAll(membersLike(missed.member()));
            }
        } else if (answer.outcome() instanceof ItemOutcome.CrossesPointer crosses && crosses.following() != null) {
            found.add(crosses.following());
        }
        return found.isEmpty()
                ? answer
                : answer.suggesting(found.stream().limit(MAX_NAMES).toList());
    }

    /** Returns the item of a variable whose name a type has, too, if the path leads somewhere in it. */
    private List<String> variableOf(Alternative alternative) {
        if (types == null
                || !(alternative instanceof Alternative.TypePath path)
                || path.variable()
                || path.kind() != null
                || path.splits().stream()
                        .allMatch(split -> VariableChoice.named(split.typeName(), types, null)
                                .isEmpty())) {
            return List.of();
        }
        Item variable = new Item(
                "variable " + path.text(),
                List.of(new Alternative.TypePath(
                        "variable " + path.text(), null, true, path.quoted(), path.parts(), path.steps())));
        return ItemResolver.resolve(variable, build, null).isOfVariable() ? List.of(variable.text()) : List.of();
    }

    /** Returns similar names of types, then of symbols, for a name that is neither a type nor a variable. */
    public List<String> typesAndSymbolsLike(String name) {
        Set<String> found = new LinkedHashSet<>(typesLike(name));
        found.addAll(symbolsLike(name));
        return found.stream().limit(MAX_NAMES).toList();
    }

    /** Returns {@code did you mean a or b?}; empty without suggestions. */
    public static String sentence(List<String> suggestions) {
        return suggestions.isEmpty() ? "" : "did you mean " + String.join(" or ", suggestions) + "?";
    }

    private List<String> similarTo(Alternative alternative) {
        return switch (alternative) {
            case Alternative.TypePath path
            when types != null -> {
                Set<String> names = new LinkedHashSet<>(path.variable() ? List.of() : typesLike(path.splits(), types));
                if (path.kind() == null) {
                    names.addAll(variablesLike(path.splits(), types));
                }
                yield List.copyOf(names);
            }
            case Alternative.EnumeratorName(String _, String name)
            when types != null -> similar(Item.simpleName(name), types::forEachEnumeratorName);
            case Alternative.SymbolGlob(String _, String glob) when symbols != null -> symbolsLike(glob);
            default -> List.of();
        };
    }

    private List<String> typesLike(List<Alternative.TypeAndSteps> splits, TypeIndex index) {
        List<String> names = ofPackages(splits, index, true);
        if (!names.isEmpty()) {
            return names;
        }
        String last = splits.getLast().typeName();
        String whole = splits.getFirst().typeName();
        Set<String> found = new LinkedHashSet<>(typesLike(last));
        found.addAll(ofAnyPackage(last, index));
        if (found.isEmpty() && splits.size() > 1) {
            // Names of Go types have dots.
            found.addAll(typesLike(whole));
        }
        if (found.isEmpty() && splits.size() > 1) {
            found.addAll(endingWith(whole));
        }
        return found.isEmpty()
                ? ofPackages(splits, index, false)
                : found.stream().limit(MAX_NAMES).toList();
    }

    /** Returns whether the build has types of Go, so that other builds do not pay for a search. */
    private static boolean hasGoTypes(TypeIndex index) {
        boolean[] any = new boolean[1];
        index.forEachGoTypeName("", _ -> {
            any[0] = true;
            return false;
        });
        return any[0];
    }

    /**
     * Returns Go types for the first way to read a path that has some: it names a package and a type.
     *
     * @param similar whether to return those whose package and type are similar together; else those of this type in other packages
     */
    private List<String> ofPackages(List<Alternative.TypeAndSteps> splits, TypeIndex index, boolean similar) {
        if (!hasGoTypes(index)) {
            return List.of();
        }
        for (Alternative.TypeAndSteps split : splits) {
            String wanted = TypeNames.canonical(split.typeName());
            String type = TypeNames.withoutPackage(wanted);
            if (type != null && wanted.length() <= MAX_LENGTH) {
                List<String> names = similar ? likePackageAndType(wanted, type, index) : few(goTypes(type, index));
                if (!names.isEmpty()) {
                    return names;
                }
            }
        }
        return List.of();
    }

    private List<String> likePackageAndType(String wanted, String type, TypeIndex index) {
        Map<String, Integer> distances = new TreeMap<>();
        Set<String> types = new LinkedHashSet<>(List.of(type));
        types.addAll(similar(type, index::forEachGoTypeName));
        for (String each : types) {
            for (String candidate : goTypes(each, index)) {
                // Items may leave out all of a package but its last element.
                String shown =
                        wanted.indexOf('/') < 0 ? candidate.substring(candidate.lastIndexOf('/') + 1) : candidate;
                int edits = distance(wanted, shown);
                if (edits <= mostEdits(wanted) && !shown.equals(wanted)) {
                    distances.put(candidate, edits);
                }
            }
        }
        return nearest(distances);
    }

    /** Returns the Go types with a similar name, each with its package, for a name without one. */
    private List<String> ofAnyPackage(String name, TypeIndex index) {
        String wanted = TypeNames.canonical(name);
        return TypeNames.withoutPackage(wanted) != null || !hasGoTypes(index)
                ? List.of()
                : similar(wanted, index::forEachGoTypeName).stream()
                        .flatMap(similar -> few(goTypes(similar, index)).stream())
                        .limit(MAX_NAMES)
                        .toList();
    }

    /** Returns these names; none if there are more than are suggested. */
    private static List<String> few(Set<String> names) {
        return names.size() > MAX_NAMES ? List.of() : List.copyOf(names);
    }

    /** Returns the names of the Go types that have this name behind their package. */
    private Set<String> goTypes(String name, TypeIndex index) {
        left -= COST_OF_BEGINNING;
        Set<String> found = new TreeSet<>();
        if (left > 0) {
            index.goTypesNamed(name).forEach(definition -> found.add(TypeNames.normalize(definition.qualifiedName())));
        }
        return found;
    }

    /** Returns similar names of variables, without scopes: most variables are found by these. */
    private List<String> variablesLike(List<Alternative.TypeAndSteps> splits, TypeIndex index) {
        // Names of Go variables have dots.
        List<String> names = similar(Item.simpleName(splits.getFirst().typeName()), index::forEachVariableName);
        return names.isEmpty() && splits.size() > 1
                ? similar(Item.simpleName(splits.getLast().typeName()), index::forEachVariableName)
                : names;
    }

    /** Returns similar names with their scopes, and those of types that have the name in other scopes. */
    private List<String> typesLike(String name) {
        if (types == null) {
            return List.of();
        }
        String wanted = TypeNames.canonical(name);
        String simple = TypeNames.unqualified(wanted);
        Set<String> found = new LinkedHashSet<>();
        if (!simple.equals(wanted) && simple.length() <= MAX_LENGTH) {
            found.addAll(qualified(simple, wanted, types));
        }
        for (String similar : similar(simple, types::forEachTypeName)) {
            List<String> qualified = qualified(similar, wanted, types);
            found.addAll(qualified.isEmpty() ? List.of(similar) : qualified);
        }
        return found.stream().limit(MAX_NAMES).toList();
    }

    /** Returns the types in modules of D or Fortran whose names end with this one, which has dots between scopes. */
    private List<String> endingWith(String dotted) {
        String simple = dotted.substring(dotted.lastIndexOf('.') + 1);
        return types == null || simple.length() > MAX_LENGTH
                ? List.of()
                : qualified(simple, types).stream()
                        .filter(name -> name.replace("::", ".").endsWith("." + dotted))
                        .limit(MAX_NAMES)
                        .toList();
    }

    /**
     * Returns the types of this name with their scopes: those that are similar to the wanted one as a whole, else all, or none
     * if there are more than are suggested.
     */
    private List<String> qualified(String name, String wanted, TypeIndex index) {
        Set<String> found = qualified(name, index);
        Map<String, Integer> distances = new TreeMap<>();
        if (!TypeNames.unqualified(wanted).equals(wanted) && wanted.length() <= MAX_LENGTH) {
            found.forEach(candidate -> compare(wanted, candidate, distances));
        }
        if (!distances.isEmpty()) {
            return nearest(distances);
        }
        return few(found);
    }

    private Set<String> qualified(String name, TypeIndex index) {
        Set<String> found = new TreeSet<>();
        left -= COST_OF_BEGINNING;
        // No layout is read.
        index.definitionsNamed(name, qualified -> {
            left -= COST_OF_NAME + qualified.length();
            if (left > 0) {
                found.add(TypeNames.normalize(qualified));
            }
            return false;
        });
        return found;
    }

    /** Returns the paths of similar members. */
    private List<String> membersLike(ItemOutcome.MissingMember missing) {
        if (left <= 0 || missing.name().length() > MAX_LENGTH) {
            return List.of();
        }
        Map<String, Integer> distances = new TreeMap<>();
        int end = left - MAX_COST;
        for (String member : missing.others()) {
            left -= COST_OF_NAME + member.length();
            if (left <= end) {
                break;
            }
            compare(missing.name(), member, distances);
        }
        return nearest(distances).stream()
                .map(member -> missing.at() + (missing.at().endsWith("->") ? "" : ".") + Item.memberText(member))
                .toList();
    }

    private List<String> symbolsLike(String name) {
        boolean isPattern = name.chars().anyMatch(each -> "*?[\\@".indexOf(each) >= 0);
        return isPattern || symbols == null
                ? List.of()
                : similar(
                        name,
                        (beginning, goOn) -> symbols.namesFrom(beginning, MAX_SYMBOLS).stream()
                                .takeWhile(goOn)
                                .forEach(_ -> {}));
    }

    /** Goes through the names from a beginning on, in their order, until the predicate ends it. */
    private interface Names {
        void from(String beginning, Predicate<String> goOn);
    }

    private List<String> similar(String wanted, Names names) {
        if (wanted.isEmpty() || wanted.length() > MAX_LENGTH) {
            return List.of();
        }
        Map<String, Integer> distances = new TreeMap<>();
        for (String beginning : beginnings(wanted)) {
            if (left > 0) {
                compare(wanted, beginning, names, distances);
            }
        }
        if (wanted.length() < MIN_SEARCHED) {
            distances.values().removeIf(distance -> distance > 0);
        }
        return nearest(distances);
    }

    private void compare(String wanted, String beginning, Names names, Map<String, Integer> distances) {
        int end = left - MAX_COST;
        left -= COST_OF_BEGINNING;
        names.from(beginning, candidate -> {
            left -= COST_OF_NAME + candidate.length();
            compare(wanted, candidate, distances);
            return left > end && candidate.startsWith(beginning);
        });
    }

    /** Adds the distance of a candidate that is similar to the wanted name. */
    private static void compare(String wanted, String candidate, Map<String, Integer> distances) {
        int distance = distance(wanted, candidate);
        if (distance <= mostEdits(wanted) && !candidate.equals(wanted)) {
            distances.put(candidate, distance);
        }
    }

    private static List<String> nearest(Map<String, Integer> distances) {
        return distances.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .limit(MAX_NAMES)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the beginnings of similar names: parts of the wanted name, and those with another case or an underscore. */
    private static Set<String> beginnings(String wanted) {
        String half = wanted.substring(0, Math.max(1, wanted.length() / 2));
        char first = wanted.charAt(0);
        Set<String> beginnings = new LinkedHashSet<>();
        beginnings.add(wanted.substring(0, Math.max(1, wanted.length() * 3 / 4)));
        beginnings.add(half);
        beginnings.add((Character.isUpperCase(first) ? Character.toLowerCase(first) : Character.toUpperCase(first))
                + half.substring(1, Math.min(2, half.length())));
        String small = half.toLowerCase(Locale.ROOT);
        beginnings.add(half.equals(small) ? half.toUpperCase(Locale.ROOT) : small);
        beginnings.add(first == '_' && half.length() > 1 ? half.substring(1) : "_" + half);
        return beginnings;
    }

    /** Returns the most edits that leave a name recognizable: none of a single character. */
    private static int mostEdits(String wanted) {
        return wanted.length() < 2 ? 0 : Math.clamp(wanted.length() / 4, 1, 3);
    }

    /**
     * Returns how many characters to insert, delete, replace or swap with the next one, ignoring case; {@link #mostEdits} for
     * a longer name that begins with the wanted one; a larger number for other names. The bounded distance of commons-text counts
     * a swap as two edits, and case.
     */
    private static int distance(String wanted, String candidate) {
        int most = mostEdits(wanted);
        boolean extended = wanted.length() >= MIN_EXTENDED && candidate.startsWith(wanted);
        int edits = Math.abs(wanted.length() - candidate.length()) > most
                ? Integer.MAX_VALUE
                : edits(wanted, candidate, most);
        return extended ? Math.min(edits, mostEdits(wanted)) : edits;
    }

    private static int edits(String wanted, String candidate, int most) {
        int width = candidate.length() + 1;
        int[] before = new int[width];
        int[] last = new int[width];
        int[] row = new int[width];
        for (int j = 0; j < width; j++) {
            last[j] = j;
        }
        for (int i = 1; i <= wanted.length(); i++) {
            row[0] = i;
            int least = i;
            for (int j = 1; j < width; j++) {
                boolean same = equal(wanted.charAt(i - 1), candidate.charAt(j - 1));
                int edits = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + (same ? 0 : 1));
                boolean swapped = i > 1
                        && j > 1
                        && equal(wanted.charAt(i - 1), candidate.charAt(j - 2))
                        && equal(wanted.charAt(i - 2), candidate.charAt(j - 1));
                row[j] = swapped ? Math.min(edits, before[j - 2] + 1) : edits;
                least = Math.min(least, row[j]);
            }
            if (least > most) {
                return Integer.MAX_VALUE;
            }
            int[] spare = before;
            before = last;
            last = row;
            row = spare;
        }
        return last[width - 1];
    }

    private static boolean equal(char a, char b) {
        return Character.toLowerCase(a) == Character.toLowerCase(b);
    }
}
