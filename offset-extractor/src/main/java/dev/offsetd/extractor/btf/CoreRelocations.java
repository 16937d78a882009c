package dev.offsetd.extractor.btf;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.bpf.BpfProgram;
import dev.offsetd.extractor.bpf.CoreRelocation;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.TypeKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** CO-RE relocations of a BPF program, in its {@code .BTF.ext} (Linux, {@code struct btf_ext_header} and bpf_core_relo). */
public final class CoreRelocations {

    private static final Pattern STEP = Pattern.compile("[0-9]{1,9}");

    /** Classes of instructions, and sizes of what they load (Linux, {@code bpf_common.h}). */
    private static final int BPF_LDX = 1;

    private static final int BPF_ST = 2;
    private static final int BPF_STX = 3;
    private static final int BPF_W = 0x00;
    private static final int BPF_H = 0x08;
    private static final int BPF_B = 0x10;

    private static final int POINTER_BYTES = 8;

    /** Heap of a relocation without its texts. */
    private static final int ENTRY_BYTES = 200;

    /** Most relocations that differ in what they ask for; large programs have some thousand. */
    private static final int MAX_RELOCATIONS = 20_000;

    /** Most characters of all their types and paths: a few bytes can lead to a long path, which is spelled as one name. */
    private static final int MAX_CHARACTERS = 2 << 20;

    /** Longest access string: a path of 64 steps, see {@code BPF_CORE_SPEC_MAX_LEN}. */
    private static final int MAX_STEPS = 64;

    /** Types with different suffixes are variants of one: CO-RE compares the part before it. */
    private static final String FLAVOUR = "___";

    private final BtfExt ext;
    private final TypeTable types;
    private final StringTable strings;
    private final HeapBudget heap;

    /** Characters of the different relocations so far. */
    private long characters;

    private record Named(TypeKind kind, long nameOffset) implements Comparable<Named> {

        @Override
        public int compareTo(Named other) {
            int order = kind.compareTo(other.kind);
            return order != 0 ? order : Long.compare(nameOffset, other.nameOffset);
        }
    }

    /**
     * {@code struct bpf_core_relo}.
     *
     * @param row its place
     * @param instruction bytes from the start of the section with the code
     * @param access offset of the access string
     */
    private record Entry(BtfExt.Row row, long instruction, long type, long access, CoreRelocation.Kind kind) {

        long at() {
            return row.at();
        }

        Key key(int loaded) {
            return new Key(type, access, kind, loaded);
        }
    }

    /**
     * Key of a relocation, which several instructions may share.
     *
     * @param loaded bytes that the instruction loads or stores; 0 if it takes the number as a constant
     */
    private record Key(long type, long access, CoreRelocation.Kind kind, int loaded) implements Comparable<Key> {

        private static final Comparator<Key> ORDER = Comparator.comparingLong(Key::type)
                .thenComparingLong(Key::access)
                .thenComparing(Key::kind)
                .thenComparingInt(Key::loaded);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private CoreRelocations(BtfExt ext, TypeTable types, StringTable strings, HeapBudget heap) {
        this.ext = ext;
        this.types = types;
        this.strings = strings;
        this.heap = heap;
    }

    /**
     * Reads the types of a program.
     *
     * @throws ExtractionException if a section is malformed, not supported, or over a limit
     */
    public static CoreRelocations read(Section btf, Section ext, Limits limits, HeapBudget heap)
            throws ExtractionException {
        List<BtfPart> parts = List.of(BtfPart.read(btf));
        StringTable strings = new StringTable(parts, limits, heap);
        return new CoreRelocations(BtfExt.read(ext, strings), TypeTable.read(parts, limits, heap), strings, heap);
    }

    /**
     * Returns the types whose layouts the relocations ask for, each once and without its flavour, in the order of the
     * relocations. Empty if the program has no relocations.
     *
     * @throws ExtractionException if a section is malformed, not supported, or over a limit
     */
    public Set<NamedShape> types() throws ExtractionException {
        Set<NamedShape> found = new LinkedHashSet<>();
        Set<Long> seen = new HashSet<>();
        Set<Named> names = new HashSet<>();
        for (Entry entry : entries()) {
            Deadline.checkCurrent();
            if (entry.kind() != CoreRelocation.Kind.TYPE_ID_LOCAL && seen.add(entry.type())) {
                TypeRecord type = named(entry);
                // Many types may share one long name.
                if (type != null && names.add(new Named(kind(type), type.nameOffset()))) {
                    found.add(shape(type));
                }
            }
        }
        return found;
    }

    /**
     * Returns the relocations, each once, in their order, with the functions that have them. Relocations of unnamed types, and ids of
     * the program's own types, depend on no other file and are left out.
     *
     * @param code sections with instructions, by name
     * @throws ExtractionException as {@link #types}
     */
    public BpfProgram program(Map<String, Section> code) throws ExtractionException {
        List<CoreRelocation> found = new ArrayList<>();
        Map<Key, Integer> numbers = new TreeMap<>();
        Map<String, SortedMap<Long, Integer>> sites = new TreeMap<>();
        for (Entry entry : entries()) {
            Deadline.checkCurrent();
            if (entry.kind() == CoreRelocation.Kind.TYPE_ID_LOCAL) {
                continue;
            }
            Key key = entry.key(loaded(entry, code));
            Integer number = numbers.get(key);
            if (number == null) {
                CoreRelocation relocation = resolved(entry, key.loaded());
                number = relocation == null ? -1 : found.size();
                numbers.put(key, number);
                if (relocation != null) {
                    keep(relocation, entry, found.size());
                    found.add(relocation);
                }
            }
            if (number >= 0) {
                sites.computeIfAbsent(entry.row().section(), name -> new TreeMap<>())
                        .put(entry.instruction(), number);
            }
        }
        return new BpfProgram(found, new BpfFunctions(ext, heap).read(code, sites));
    }

    /** Returns how many bytes the instruction of a relocation loads or stores at the offset; 0 if it does not. */
    private static int loaded(Entry entry, Map<String, Section> code) throws ExtractionException {
        Section section = code.get(entry.row().section());
        if (entry.kind() != CoreRelocation.Kind.FIELD_BYTE_OFFSET
                || section == null
                || entry.instruction() >= section.size()) {
            return 0;
        }
        int opcode = section.cursor(entry.instruction(), 1).u8();
        return switch (opcode & 7) {
            case BPF_LDX, BPF_ST, BPF_STX ->
                switch (opcode & 0x18) {
                    case BPF_B -> 1;
                    case BPF_H -> 2;
                    case BPF_W -> 4;
                    default -> 8;
                };
            default -> 0;
        };
    }

    /** Counts a relocation that differs from those before it. */
    private void keep(CoreRelocation relocation, Entry entry, int before) throws LimitExceededException {
        requireUpTo(before + 1L, MAX_RELOCATIONS, "maxRelocations", entry);
        long length = relocation.type().spelling().length();
        for (String step : relocation.path()) {
            length += step.length() + 1;
        }
        characters += length;
        requireUpTo(characters, MAX_CHARACTERS, "maxRelocationChars", entry);
        heap.keep(ENTRY_BYTES + 2 * length, ext.name(), entry.at());
    }

    private void requireUpTo(long count, long most, String limit, Entry entry) throws LimitExceededException {
        if (count > most) {
            throw new LimitExceededException(
                    ext.name(), entry.at(), limit, most, "the different relocations up to here have " + count);
        }
    }

    private List<Entry> entries() throws ExtractionException {
        List<Entry> entries = new ArrayList<>();
        for (BtfExt.Row row : ext.relocations()) {
            Deadline.checkCurrent(entries.size());
            ByteCursor in = ext.record(row, BtfExt.RELOCATION_BYTES);
            long instruction = in.u32();
            long id = in.u32();
            long access = in.u32();
            long number = in.u32();
            CoreRelocation.Kind kind = CoreRelocation.Kind.of(number);
            if (kind == null) {
                throw new UnsupportedInputException(
                        ext.name(), row.at(), "relocation of kind " + number + " is not known");
            }
            entries.add(new Entry(row, instruction, id, access, kind));
        }
        return entries;
    }

    private TypeRecord type(Entry entry, long id) throws ExtractionException {
        if (id < 1 || id > types.size()) {
            throw new MalformedInputException(
                    ext.name(), entry.at(), "type id " + id + "; expected 1 to " + types.size());
        }
        return types.get(id, 0);
    }

    /** Returns the named type that a relocation starts from; null if it has none. */
    private @Nullable TypeRecord named(Entry entry) throws ExtractionException {
        long next = entry.type();
        for (int hops = 0; ; hops++) {
            TypeRecord type = type(entry, next);
            types.requireDepth(type, hops, 0);
            TypeKind kind = type.typeKind();
            if (kind != null && kind != TypeKind.BASE && type.isNamed()) {
                return type;
            }
            if (type.kind() == Btf.BTF_KIND_ARRAY) {
                next = Dimensions.read(type, types).element();
            } else if (type.isQualifier() || type.kind() == Btf.BTF_KIND_TYPE_TAG) {
                next = type.sizeOrType();
            } else {
                return null;
            }
            if (next == 0) {
                return null;
            }
        }
    }

    private static TypeKind kind(TypeRecord type) {
        return Objects.requireNonNull(type.typeKind());
    }

    private NamedShape shape(TypeRecord type) throws ExtractionException {
        TypeKind kind = kind(type);
        String essential = essential(strings.at(type.nameOffset(), type.offset()));
        return new NamedShape(kind, kind.isTag() ? kind.word() + " " + essential : essential);
    }

    private static String essential(String name) {
        int end = name.indexOf(FLAVOUR);
        return end > 0 ? name.substring(0, end) : name;
    }

    /** Returns what a relocation asks for; null if it starts from an unnamed type. */
    private @Nullable CoreRelocation resolved(Entry entry, int loaded) throws ExtractionException {
        TypeRecord root = named(entry);
        if (root == null) {
            return null;
        }
        List<Long> steps = steps(entry);
        NamedShape shape = shape(root);
        return switch (entry.kind().subject()) {
            case TYPE -> {
                boolean mustMatch = entry.kind() == CoreRelocation.Kind.TYPE_MATCHES;
                yield new CoreRelocation(
                        entry.kind(), shape, mustMatch ? names(unqualified(entry, root)) : List.of(), null, null);
            }
            case ENUMERATOR ->
                new CoreRelocation(entry.kind(), shape, List.of(enumerator(entry, root, steps)), null, null);
            case FIELD -> field(entry, shape, steps, loaded);
        };
    }

    private List<Long> steps(Entry entry) throws ExtractionException {
        String text = strings.at(entry.access(), entry.at());
        List<Long> steps = new ArrayList<>();
        for (String step : text.split(":", MAX_STEPS + 1)) {
            if (!STEP.matcher(step).matches() || steps.size() == MAX_STEPS) {
                throw new MalformedInputException(
                        ext.name(),
                        entry.at(),
                        "access " + HostileText.quote(text) + "; expected at most " + MAX_STEPS
                                + " numbers and colons");
            }
            steps.add(Long.valueOf(step));
        }
        return steps;
    }

    private String enumerator(Entry entry, TypeRecord root, List<Long> steps) throws ExtractionException {
        TypeRecord type = unqualified(entry, root);
        if (!type.isEnumeration() || steps.getFirst() >= type.count()) {
            throw malformedAccess(entry);
        }
        ByteCursor in = types.data(type);
        in.skip(steps.getFirst() * (type.kind() == Btf.BTF_KIND_ENUM64 ? 12 : 8));
        return essential(strings.at(in.u32(), type.offset()));
    }

    /** Returns the names of members or enumerators, without flavours. */
    private List<String> names(TypeRecord type) throws ExtractionException {
        List<String> names = new ArrayList<>();
        if (type.isAggregate() || type.isEnumeration()) {
            ByteCursor in = types.data(type);
            int bytes = type.kind() == Btf.BTF_KIND_ENUM ? 8 : 12;
            for (int i = 0; i < type.count(); i++) {
                Deadline.checkCurrent(i);
                String name = essential(strings.at(in.u32(), type.offset()));
                if (!name.isEmpty()) {
                    names.add(name);
                }
                in.skip(bytes - 4);
            }
        }
        return names;
    }

    private CoreRelocation field(Entry entry, NamedShape shape, List<Long> steps, int loaded)
            throws ExtractionException {
        List<String> path = new ArrayList<>();
        TypeRecord type = unqualified(entry, type(entry, entry.type()));
        // The first step indexes the array that a pointer to the type stands for.
        for (long step : steps.subList(1, steps.size())) {
            if (type.isAggregate() && step < type.count()) {
                ByteCursor in = types.data(type);
                in.skip(step * 12);
                String name = strings.at(in.u32(), type.offset());
                // Members of unnamed structs are found under their own names.
                if (!name.isEmpty()) {
                    path.add(name);
                }
                type = unqualified(entry, type(entry, in.u32()));
            } else if (type.kind() == Btf.BTF_KIND_ARRAY) {
                path.add("[" + step + "]");
                type = unqualified(entry, type(entry, types.data(type).u32()));
            } else {
                throw malformedAccess(entry);
            }
        }
        CoreRelocation.Load load = loaded == 0 ? null : load(type, loaded);
        return new CoreRelocation(entry.kind(), shape, path, form(entry, type), load);
    }

    /** Returns the load of a member; null if it is neither a number nor a pointer. */
    private CoreRelocation.@Nullable Load load(TypeRecord type, int loaded) throws ExtractionException {
        return switch (type.kind()) {
            case Btf.BTF_KIND_PTR -> new CoreRelocation.Load(POINTER_BYTES, loaded == POINTER_BYTES);
            case Btf.BTF_KIND_INT -> {
                boolean isSigned = (types.data(type).u32() >>> 24 & 0xf) == BtfShapes.BTF_INT_SIGNED;
                yield new CoreRelocation.Load(type.sizeOrType(), !isSigned && loaded == type.sizeOrType());
            }
            case Btf.BTF_KIND_ENUM, Btf.BTF_KIND_ENUM64, Btf.BTF_KIND_FLOAT ->
                new CoreRelocation.Load(type.sizeOrType(), false);
            default -> null;
        };
    }

    private CoreRelocation.@Nullable Form form(Entry entry, TypeRecord from) throws ExtractionException {
        TypeRecord type = from;
        int dimensions = 0;
        for (; type.kind() == Btf.BTF_KIND_ARRAY; dimensions++) {
            types.requireDepth(type, dimensions, 0);
            type = unqualified(entry, type(entry, types.data(type).u32()));
        }
        CoreRelocation.Element element = switch (type.kind()) {
            case Btf.BTF_KIND_STRUCT, Btf.BTF_KIND_UNION, Btf.BTF_KIND_FWD -> CoreRelocation.Element.AGGREGATE;
            case Btf.BTF_KIND_INT -> CoreRelocation.Element.INTEGER;
            case Btf.BTF_KIND_ENUM, Btf.BTF_KIND_ENUM64 -> CoreRelocation.Element.ENUMERATION;
            case Btf.BTF_KIND_PTR -> CoreRelocation.Element.POINTER;
            case Btf.BTF_KIND_FLOAT -> CoreRelocation.Element.FLOAT;
            default -> null;
        };
        if (element == null) {
            return null;
        }
        String name = element == CoreRelocation.Element.ENUMERATION
                ? essential(strings.at(type.nameOffset(), type.offset()))
                : "";
        heap.keep(2L * name.length(), ext.name(), entry.at());
        return new CoreRelocation.Form(dimensions, element, name);
    }

    private MalformedInputException malformedAccess(Entry entry) throws ExtractionException {
        return new MalformedInputException(
                ext.name(),
                entry.at(),
                "access " + HostileText.quote(strings.at(entry.access(), entry.at())) + " leads to no member of type "
                        + entry.type());
    }

    /** Returns the type behind typedefs and qualifiers. */
    private TypeRecord unqualified(Entry entry, TypeRecord from) throws ExtractionException {
        TypeRecord type = from;
        for (int hops = 0;
                type.isQualifier() || type.kind() == Btf.BTF_KIND_TYPE_TAG || type.kind() == Btf.BTF_KIND_TYPEDEF;
                hops++) {
            types.requireDepth(type, hops, 0);
            type = type(entry, type.sizeOrType());
        }
        return type;
    }
}
