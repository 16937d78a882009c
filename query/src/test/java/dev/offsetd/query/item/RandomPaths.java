package dev.offsetd.query.item;

import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.Gdb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Random paths of C through members, bit-fields, elements and pointers of a file, from structs and variables, with the answers,
 * which other tools check.
 */
public final class RandomPaths {

    private static final List<String> LIMITS_OF_TOOLS = List.of(
            // A tool takes the definition that the pointer's unit has, an item the one that has the member.
            "There is no member named",
            "has no member",
            "incomplete type",
            "No struct type named",
            // gdb takes the variable that another unit has optimized away, or the symbol alone.
            "value not located in memory",
            "has unknown type",
            // Relocations and compression that drgn does not know.
            "the file cannot be read",
            // drgn does not read complex numbers.
            "unknown DWARF encoding",
            // Arrays of 4 GiB.
            "no such vector element",
            "type bit size is too large");

    private static final int MOST_STEPS = 12;

    private final TypeIndex types;
    private final List<Definition> structs = new ArrayList<>();
    private final List<Definition> variables = new ArrayList<>();
    private final List<Answered> paths = new ArrayList<>();
    private int behindPointers;
    private int fromVariables;

    /**
     * A path with its answer.
     *
     * @param expressions the expression of C for each of its parts between pointers; for the struct around a bit-field
     * @param bitField the bit-field at the end; null if it ends in another member
     * @param numbers the offset of each part, and the size of the last; of a bit-field in bits
     */
    private record Answered(
            String item, List<String> expressions, @Nullable String bitField, List<Long> numbers) {}

    /** A path without its answer. */
    private record Unanswered(
            String item, List<String> expressions, @Nullable String bitField) {}

    /**
     * Makes so many paths and answers them; those that have no single answer are left out.
     *
     * @param extracted the types of the file, among whose structs and variables the paths start
     * @param types the same types as answers get them
     */
    public RandomPaths(TypeCatalogue extracted, TypeIndex types, int count) {
        this.types = types;
        extracted.forEachDefinition(definition -> {
            if (definition.kind() == TypeKind.STRUCT
                    && !definition.name().isEmpty()
                    && definition.function() == null
                    && definition.language().family() == Language.Family.C
                    && definition.shape() instanceof AggregateShape) {
                structs.add(definition);
            }
        });
        extracted.forEachVariable(variable -> {
            // Tools choose another one of several variables of a name. drgn also knows those at 0, which ld discarded;
            // glibc has several of a name in sections that are never loaded.
            if (variable.address() != null
                    && variable.address() != 0
                    && !variable.name().startsWith("__evoke_link_warning_")
                    && variable.function() == null
                    && variable.language().family() == Language.Family.C
                    && extracted.variablesNamed(variable.name()).size() == 1) {
                variables.add(ItemResolver.root(variable));
            }
        });
        Random random = new Random(43);
        for (int i = 0; i < count && !structs.isEmpty(); i++) {
            try {
                answer(random(random));
            } catch (UnanswerableException e) {
                // The target of a pointer in it is incomplete, or has no members.
            }
        }
    }

    /** Returns the number of paths that lead through a pointer. */
    public int behindPointers() {
        return behindPointers;
    }

    /** Returns the number of paths that start at a variable. */
    public int fromVariables() {
        return fromVariables;
    }

    /** Returns the number of paths that end in a bit-field. */
    public long toBitFields() {
        return paths.stream().filter(path -> path.bitField() != null).count();
    }

    private void answer(Unanswered path) {
        ItemOutcome outcome = ItemAnswers.ask(path.item(), types).outcome();
        long start = 0;
        if (outcome instanceof ItemOutcome.VariableFound found) {
            fromVariables++;
            start = found.address().orElseThrow();
            outcome = found.part();
        }
        List<Long> numbers = new ArrayList<>();
        Placement.Fixed last;
        switch (outcome) {
            case ItemOutcome.PathFound found -> last = found.placement();
            case ItemOutcome.PlanFound found -> {
                behindPointers++;
                found.plan().pointers().forEach(pointer -> numbers.add(pointer.offset()));
                last = found.plan().target();
            }
            case ItemOutcome.Ambiguous _, ItemOutcome.TypeFound _ -> {
                return;
            }
            case ItemOutcome other -> throw new AssertionError(path.item() + ": " + other);
        }
        numbers.add(last.isBitField() ? last.bitOffset() : last.offset());
        boolean direct = numbers.size() == 1;
        numbers.set(0, numbers.getFirst() + (direct && last.isBitField() ? start * Byte.SIZE : start));
        if (numbers.size() != path.expressions().size()) {
            throw new AssertionError(path + " has the offsets " + numbers);
        }
        numbers.add(last.isBitField() ? last.bitSize() : last.size());
        paths.add(new Answered(path.item(), path.expressions(), path.bitField(), numbers));
    }

    private Unanswered random(Random random) throws UnanswerableException {
        boolean variable = !variables.isEmpty() && random.nextInt(3) == 0;
        List<Definition> roots = variable ? variables : structs;
        Definition root = roots.get(random.nextInt(roots.size()));
        StringBuilder item =
                new StringBuilder((variable ? "variable" : root.kind().word()) + " " + root.name());
        List<String> expressions = new ArrayList<>();
        StringBuilder expression = new StringBuilder(variable ? root.name() : "((" + item + " *)0)->");
        TypeShape shape = root.shape();
        String operator = ".";
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            if (shape.peeled() instanceof AggregateShape aggregate) {
                List<Map.Entry<String, List<Placement>>> fields = FieldScope.of(aggregate).entrySet().stream()
                        .filter(field -> field.getValue().size() == 1
                                && field.getValue().getFirst() instanceof Placement.Fixed fixed
                                && fixed.size() != TypeShape.UNKNOWN_SIZE)
                        .toList();
                if (fields.isEmpty()) {
                    break;
                }
                var field = fields.get(random.nextInt(fields.size()));
                item.append(operator).append(field.getKey());
                if (field.getValue().getFirst() instanceof Placement.Fixed fixed && fixed.isBitField()) {
                    String whole = expression.toString();
                    expressions.add(
                            whole.endsWith("->") ? "*" + whole.substring(0, whole.length() - "->".length()) : whole);
                    return new Unanswered(item.toString(), expressions, field.getKey());
                }
                if (operator.equals(".") && expression.charAt(expression.length() - 1) != '>') {
                    expression.append('.');
                }
                expression.append(field.getKey());
                shape = field.getValue().getFirst().type();
                operator = ".";
            } else if (shape.peeled() instanceof ArrayShape array
                    && array.counts().getFirst() > 0) {
                long index = random.nextLong(array.counts().getFirst());
                item.append('[').append(index).append(']');
                expression.append('[').append(index).append(']');
                shape = array.withoutFirstDimension();
            } else if (shape.peeled() instanceof PointerShape pointer && TargetDefinitions.isFollowed(pointer)) {
                TargetDefinitions.Target target =
                        new TargetDefinitions(types, new DefinitionChoice(types, null)).of(pointer, root, "");
                if (target.definitions().size() != 1
                        || target.definitions().getFirst().shape().byteSize() == TypeShape.UNKNOWN_SIZE
                        || random.nextInt(6) == 0) {
                    break;
                }
                TypeShape next = target.definitions().getFirst().shape();
                boolean arrow = next.peeled() instanceof AggregateShape && random.nextInt(4) > 0;
                expressions.add(expression.toString());
                String start = "((__typeof__(" + expression + "))0)";
                if (arrow) {
                    operator = "->";
                    expression = new StringBuilder(start + "->");
                } else {
                    int index = random.nextInt(5);
                    item.append('[').append(index).append(']');
                    expression = new StringBuilder(start + "[" + index + "]");
                }
                shape = next;
            } else {
                break;
            }
        }
        if (expression.toString().endsWith("->")) {
            throw new UnanswerableException("a pointer to a struct without members");
        }
        expressions.add(expression.toString());
        return new Unanswered(item.toString(), expressions, null);
    }

    /**
     * Compares the answers with those of both tools, by tool. They differ where no tool has the same: each takes another
     * definition for some names.
     *
     * @param drgn whether drgn can read the file
     */
    public List<SecondOpinion.Result> compared(Path file, boolean drgn) throws IOException {
        Map<String, List<String>> opinions = new LinkedHashMap<>();
        opinions.put("paths, gdb", gdb(file));
        if (drgn) {
            opinions.put("paths, drgn", drgn(file));
        }
        opinions.forEach((tool, theirs) -> {
            if (theirs.size() != paths.size()) {
                throw new AssertionError(tool + " has " + theirs.size() + " answers for " + paths.size() + " paths");
            }
        });
        return opinions.entrySet().stream()
                .map(opinion -> compare(opinion.getKey(), opinion.getValue(), opinions.values()))
                .toList();
    }

    /** Returns what gdb computes for the expressions of C. */
    private List<String> gdb(Path file) throws IOException {
        List<String> expressions = new ArrayList<>();
        for (Answered path : paths) {
            String last = path.expressions().getLast();
            path.expressions().stream()
                    .limit(path.expressions().size() - 1)
                    .forEach(part -> expressions.add("&(" + part + ")"));
            expressions.add(path.bitField() == null ? "&(" + last + ")" : Gdb.bitOffset(last, path.bitField()));
            expressions.add(path.bitField() == null ? "sizeof(" + last + ")" : Gdb.bitSize(last, path.bitField()));
        }
        List<String> lines = new Gdb(file).evaluated(expressions);
        List<String> theirs = new ArrayList<>();
        int at = 0;
        for (Answered path : paths) {
            int end = at + path.numbers().size();
            theirs.add(String.join(" ", lines.subList(at, end)));
            at = end;
        }
        return theirs;
    }

    /** Returns the members that drgn finds step by step. */
    private List<String> drgn(Path file) throws IOException {
        Path input = Files.createTempFile("paths", ".txt");
        try {
            Files.write(input, paths.stream().map(Answered::item).toList());
            return SecondOpinion.drgn("drgn_paths.py", file.toAbsolutePath(), input)
                    .lines()
                    .toList();
        } finally {
            Files.delete(input);
        }
    }

    /** Compares the numbers of each path, joined by spaces. */
    private SecondOpinion.Result compare(String tool, List<String> theirs, Collection<List<String>> all) {
        int compared = 0;
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < theirs.size(); i++) {
            Answered path = paths.get(i);
            int number = i;
            String ours = path.numbers().stream().map(String::valueOf).collect(Collectors.joining(" "));
            // Both count elements of arrays of 4 GiB modulo 2^32.
            boolean wraps = path.numbers().stream().anyMatch(each -> each >>> Integer.SIZE != 0);
            if (wraps || LIMITS_OF_TOOLS.stream().anyMatch(theirs.get(i)::contains)) {
                continue;
            }
            compared++;
            if (all.stream().noneMatch(tools -> tools.get(number).equals(ours))) {
                differences.add(path.item() + " " + path.expressions() + "\n  ours   " + ours + "\n  " + tool + " "
                        + theirs.get(i));
            }
        }
        return new SecondOpinion.Result(tool, compared, differences);
    }
}
