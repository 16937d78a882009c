package dev.offsetd.query.check;

import dev.offsetd.extractor.bpf.BpfProgram;
import dev.offsetd.extractor.bpf.CoreRelocation;
import dev.offsetd.extractor.bpf.CoreRelocation.Form;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.SymbolSearch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks the CO-RE relocations of a compiled BPF program. */
public final class ProgramCheck implements Check {

    /** Largest offset of a load or store (RFC 9669, "Instruction encoding"). */
    private static final long MAX_OFFSET = Short.MAX_VALUE;

    private final BpfProgram program;
    private final List<Needed> needed;

    /** By relocation, the index of what it needs. */
    private final List<Integer> needs;

    /**
     * Subject of relocations, which they must be resolved to.
     *
     * @param name the relocated type, member or enumerator as an item
     * @param item the type or member, or the type of the enumerator; null if no item can have this name, and so no build
     */
    private record Needed(
            CoreRelocation relocation,
            String name,
            @Nullable Item item) {}

    /** @param program see {@link dev.offsetd.extractor.BpfObject#program} */
    public ProgramCheck(BpfProgram program) {
        this.program = program;
        Map<String, Integer> seen = new TreeMap<>();
        List<Needed> found = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        for (CoreRelocation relocation : program.relocations()) {
            String name = name(relocation);
            // Flavours of a type may have members of one name and different forms; enumerations, enumerators of one
            // name.
            String key = name + " " + relocation;
            Integer known = seen.putIfAbsent(key, found.size());
            indexes.add(known == null ? found.size() : known);
            if (known == null) {
                String item = relocation.kind().subject() == CoreRelocation.Subject.ENUMERATOR
                        ? relocation.type().spelling()
                        : name;
                found.add(new Needed(relocation, name, item(item)));
            }
        }
        needed = List.copyOf(found);
        needs = List.copyOf(indexes);
    }

    /** Returns the type or member of a relocation as an item. */
    private static String name(CoreRelocation relocation) {
        if (relocation.kind().subject() == CoreRelocation.Subject.ENUMERATOR) {
            return "enumerator " + relocation.path().getFirst();
        }
        StringBuilder name = new StringBuilder(relocation.type().spelling());
        boolean isMember = relocation.kind().subject() == CoreRelocation.Subject.FIELD;
        for (String step : isMember ? relocation.path() : List.<String>of()) {
            name.append(step.startsWith("[") ? step : "." + Item.memberText(step));
        }
        return name.toString();
    }

    private static @Nullable Item item(String name) {
        try {
            return ItemParser.parse(name);
        } catch (ItemSyntaxException e) {
            return null;
        }
    }

    @Override
    public List<Item> items() {
        return needed.stream().flatMap(each -> Stream.ofNullable(each.item())).toList();
    }

    @Override
    public List<Finding> findings(TypeIndex types, Supplier<@Nullable SymbolSearch> symbols) {
        // Relocations are of types only.
        return findings(types);
    }

    /** A build that is checked. */
    private static final class Build {

        private final ItemResolver resolver;
        private final IdentityHashMap<EnumShape, Map<String, Enumerator>> enumerators = new IdentityHashMap<>();

        Build(TypeIndex types) {
            this.resolver = new ItemResolver(BuildContents.ofTypes(types.sharingLayouts()), null);
        }

        /** Returns the first enumerator of a name; null if the type has none. */
        @Nullable
        Enumerator enumerator(ItemOutcome.TypeFound type, String name) {
            return type.definition().shape().peeled() instanceof EnumShape enumeration
                    ? enumerators.computeIfAbsent(enumeration, Build::byName).get(name)
                    : null;
        }

        private static Map<String, Enumerator> byName(EnumShape enumeration) {
            Map<String, Enumerator> named = new HashMap<>();
            enumeration.enumerators().forEach(each -> named.putIfAbsent(each.name(), each));
            return named;
        }
    }

    List<Finding> findings(TypeIndex types) {
        Build build = new Build(types);
        List<Result> results = needed.stream().map(each -> result(each, build)).toList();
        List<Finding> found = results.stream().map(Result::finding).toList();
        if (found.stream().allMatch(each -> each.status() != Finding.Status.ABSENT)) {
            return found;
        }
        Set<Integer> reached = reached(found, build);
        return IntStream.range(0, found.size())
                .mapToObj(i -> {
                    Finding each = found.get(i);
                    boolean guarded = each.status() == Finding.Status.ABSENT
                            && !reached.contains(i)
                            && !results.get(i).refusesObject();
                    return guarded ? finding(needed.get(i), Finding.Status.ABSENT_GUARDED, each.detail()) : each;
                })
                .toList();
    }

    /** Returns the indexes of what is needed by an instruction that can run in a build. */
    private Set<Integer> reached(List<Finding> found, Build build) {
        List<@Nullable Long> numbers = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            numbers.add(answer(needed.get(i), found.get(i).status(), build));
        }
        List<@Nullable Long> answers =
                needs.stream().<@Nullable Long>map(numbers::get).toList();
        Set<Integer> unplaced = new TreeSet<>();
        for (int relocation = 0; relocation < needs.size(); relocation++) {
            unplaced.add(relocation);
        }
        Set<Integer> reached = new TreeSet<>();
        for (BpfProgram.Function function : program.functions()) {
            // Not removeAll, which may search all values for each of this set.
            function.sites().values().forEach(unplaced::remove);
            reached.addAll(ProgramFlow.reached(function, answers));
        }
        // Nothing is known of instructions that are in no function.
        reached.addAll(unplaced);
        return reached.stream().map(needs::get).collect(Collectors.toSet());
    }

    /** Returns the number that libbpf writes; null if it is not known here. */
    private static @Nullable Long answer(Needed needed, Finding.Status status, Build build) {
        if (status == Finding.Status.ABSENT_GUARDED) {
            return 0L;
        }
        if (status != Finding.Status.RESOLVED) {
            return null;
        }
        CoreRelocation.Kind kind = needed.relocation().kind();
        return switch (kind) {
            case FIELD_BYTE_SIZE, TYPE_SIZE -> size(Objects.requireNonNull(needed.item()), build);
            default -> kind.saysWhetherItExists() ? 1L : null;
        };
    }

    /** Returns the size of a type or member in bytes; null for bit-fields, and if it is not known. */
    private static @Nullable Long size(Item item, Build build) {
        return switch (build.resolver.resolve(item).outcome()) {
            case ItemOutcome.PathFound path ->
                path.placement().isBitField() ? null : path.placement().size();
            case ItemOutcome.TypeFound type -> type.definition().shape().byteSize();
            default -> null;
        };
    }

    /** @param refusesObject whether libbpf refuses the object for it, even if the instruction cannot run */
    private record Result(Finding finding, boolean refusesObject) {}

    /** Why libbpf does not take a type or member for the one of a relocation. */
    private record Obstacle(String detail, boolean refusesObject) {

        private Obstacle(String detail) {
            this(detail, false);
        }
    }

    private static Result result(Needed needed, Build build) {
        Deadline.checkCurrent();
        if (needed.item() == null) {
            return new Result(absent(needed, "no type has such a name"), false);
        }
        ItemAnswer answer = build.resolver.resolve(needed.item());
        List<ItemOutcome> candidates = answer.outcome() instanceof ItemOutcome.Ambiguous several
                ? several.variants().stream()
                        .map(ItemOutcome.DifferingAnswer::outcome)
                        .toList()
                : List.of(answer.outcome());
        Set<String> numbers = new TreeSet<>();
        Obstacle obstacle = null;
        for (int i = 0; i < candidates.size(); i++) {
            Obstacle next = obstacle(needed.relocation(), candidates.get(i), build);
            if (next == null) {
                numbers.add(number(needed.relocation(), candidates.get(i), i, build));
            } else if (obstacle == null) {
                obstacle = next;
            }
        }
        if (numbers.isEmpty()) {
            Objects.requireNonNull(obstacle);
            return new Result(absent(needed, obstacle.detail()), obstacle.refusesObject());
        }
        Finding found = numbers.size() == 1
                ? finding(needed, Finding.Status.RESOLVED, null)
                : finding(needed, Finding.Status.AMBIGUOUS, "several types of this name differ");
        return new Result(found, false);
    }

    private static @Nullable Obstacle obstacle(CoreRelocation relocation, ItemOutcome candidate, Build build) {
        if (candidate instanceof ItemOutcome.PathFound path) {
            return obstacle(relocation, path.placement());
        }
        String difference = difference(relocation, candidate, build);
        return difference == null ? null : new Obstacle(difference);
    }

    /** Returns how a type differs from that of a relocation; null if it does not. */
    private static @Nullable String difference(CoreRelocation relocation, ItemOutcome candidate, Build build) {
        return switch (candidate) {
            case ItemOutcome.TypeFound type
            when relocation.kind().subject() == CoreRelocation.Subject.ENUMERATOR ->
                build.enumerator(type, relocation.path().getFirst()) != null
                        ? null
                        : "\"" + relocation.type().spelling() + "\" has no such enumerator";
            case ItemOutcome.TypeFound type
            when relocation.kind() == CoreRelocation.Kind.TYPE_MATCHES -> mismatch(relocation, type, build);
            case ItemOutcome.CrossesPointer _ -> "a pointer where the program has a struct";
            case ItemOutcome.Missed missed when missed.detail() != null -> missed.detail();
            default ->
                candidate.status() == ItemStatus.FOUND
                        ? null
                        : candidate.status().word();
        };
    }

    /** Returns which name a type lacks; null if it has all of them, and then their types may still differ. */
    private static @Nullable String mismatch(CoreRelocation relocation, ItemOutcome.TypeFound type, Build build) {
        return relocation.path().stream()
                .filter(name -> !type.fields().containsKey(name) && build.enumerator(type, name) == null)
                .findFirst()
                .map(name -> "\"" + relocation.type().spelling() + "\" has no \"" + name + "\"")
                .orElse(null);
    }

    private static @Nullable Obstacle obstacle(CoreRelocation relocation, Placement.Fixed place) {
        if (isPastEnd(place)) {
            return new Obstacle("the array has fewer elements");
        }
        Form wanted = relocation.form();
        Form form = form(place.type());
        if (wanted != null && form != null && !wanted.accepts(form)) {
            return new Obstacle("its form is " + words(form) + "; the program has " + words(wanted));
        }
        CoreRelocation.Load load = relocation.load();
        if (load != null && place.offset() > MAX_OFFSET) {
            return new Obstacle(
                    "its offset is " + place.offset() + "; a load or store has room for up to " + MAX_OFFSET
                            + ", and libbpf refuses the whole object",
                    true);
        }
        return load == null || isLoaded(load, place)
                ? null
                : new Obstacle("the program loads " + load.bytes() + " bytes, and it has "
                        + (place.isBitField() ? place.bitSize() + " bits" : place.size())
                        + "; libbpf adapts loads of whole pointers and unsigned integers only");
    }

    /** Returns whether an instruction loads a member as it is, or libbpf makes it one that does ({@code fail_memsz_adjust}). */
    private static boolean isLoaded(CoreRelocation.Load load, Placement.Fixed place) {
        if (place.isBitField() || place.size() == load.bytes()) {
            return !place.isBitField();
        }
        boolean isSigned = place.signed().orElse(false);
        return load.isAdapted() && !isSigned && place.size() <= Long.BYTES && Long.bitCount(place.size()) == 1;
    }

    /** Returns whether an index leads behind an array; arrays without a count have any number of elements. */
    private static boolean isPastEnd(Placement.Fixed place) {
        for (Placement.@Nullable Fixed at = place; at != null; ) {
            switch (at.via()) {
                case null -> {
                    return false;
                }
                case Placement.Via.OfMember(Placement.Fixed parent, Member _) -> at = parent;
                case Placement.Via.OfElement(Placement.Fixed array, long index) -> {
                    long count = Placement.counts(array.type()).getFirst();
                    if (count > 0 && index >= count) {
                        return true;
                    }
                    at = array;
                }
            }
        }
        return false;
    }

    /**
     * Returns the number that libbpf would write, as a text that differs if the number differs.
     *
     * @param candidate that has no obstacle
     * @param id of the candidate
     */
    private static String number(CoreRelocation relocation, ItemOutcome candidate, int id, Build build) {
        return switch (candidate) {
            case ItemOutcome.PathFound path -> {
                Placement.Fixed place = path.placement();
                // The bit offset must be the same whatever the relocation asks for.
                yield place.bitOffset() + " "
                        + switch (relocation.kind()) {
                            case FIELD_EXISTS -> "";
                            case FIELD_SIGNED -> place.signed();
                            case FIELD_BYTE_OFFSET -> place.storageBytes();
                            default -> place.size() + " " + place.bitSize() + " " + place.storageBytes();
                        };
            }
            case ItemOutcome.TypeFound type ->
                switch (relocation.kind()) {
                    case TYPE_SIZE -> Long.toString(type.definition().shape().byteSize());
                    case TYPE_ID_TARGET -> Integer.toString(id);
                    case ENUMVAL_VALUE ->
                        String.valueOf(build.enumerator(type, relocation.path().getFirst()));
                    default -> "";
                };
            default -> "";
        };
    }

    private static String words(Form form) {
        return (form.dimensions() > 0 ? "array of " : "")
                + form.element().name().toLowerCase(Locale.ROOT)
                + (form.enumeration().isEmpty() ? "" : " " + form.enumeration());
    }

    private static @Nullable Form form(TypeShape type) {
        TypeShape element = type.innermost();
        CoreRelocation.Element form = switch (element) {
            case AggregateShape _ -> CoreRelocation.Element.AGGREGATE;
            case EnumShape _ -> CoreRelocation.Element.ENUMERATION;
            case PointerShape _ -> CoreRelocation.Element.POINTER;
            case BaseShape base ->
                base.encoding() == BaseShape.Encoding.FLOATING
                        ? CoreRelocation.Element.FLOAT
                        : CoreRelocation.Element.INTEGER;
            default -> null;
        };
        String name = element instanceof EnumShape enumeration && enumeration.name() != null ? enumeration.name() : "";
        return form == null ? null : new Form(Placement.counts(type).size(), form, name);
    }

    private static Finding absent(Needed needed, String detail) {
        boolean guarded = needed.relocation().kind().zeroIfAbsent();
        return finding(needed, guarded ? Finding.Status.ABSENT_GUARDED : Finding.Status.ABSENT, detail);
    }

    private static Finding finding(Needed needed, Finding.Status status, @Nullable String detail) {
        return new Finding(needed.name(), needed.relocation().kind().name().toLowerCase(Locale.ROOT), status, detail);
    }
}
