package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.omission.OmissionLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes records of the types in a Go program's descriptors: the same layouts as DWARF's of the types that the linker kept.
 * Not thread-safe.
 */
public final class GoTypes {

    private static final Language GO = new Language("Go", Language.Family.GO);
    private static final String SECTION = ".typelink";

    /** First minor version whose struct fields have plain offsets. */
    private static final int FIRST_MINOR = 19;

    private final Memory memory;
    private final int word;
    private final Limits limits;
    private final Descriptors descriptors;
    private final OmissionLog log;
    private final Map<Long, TypeShape> shapes = new HashMap<>();
    private final Map<Long, Integer> heights = new HashMap<>();
    private final Set<Long> open = new HashSet<>();
    private final TypeShape pointer;

    private GoTypes(Memory memory, ModuleData module, Limits limits, HeapBudget heap, OmissionLog log) {
        this.log = log;
        this.memory = memory;
        this.word = memory.wordBytes();
        this.limits = limits;
        this.descriptors = new Descriptors(memory, module, limits, heap);
        this.pointer = pointer("unsafe.Pointer", TypeKind.BASE, "void");
    }

    /**
     * Reads every named type that the descriptors lead to, and slices, maps, channels and functions by their notation,
     * as DWARF has them. {@link Definition#dieOffset()} is the distance of the descriptor from the start of all
     * descriptors.
     *
     * <p>A fault leaves out the field or type that it is in; in a row of descriptors, what follows one whose end cannot be told
     * is left out as a unit. In a program of a later Go, any fault means that its descriptors are others.
     *
     * @param heap counts what is kept of it
     * @throws ExtractionException if the program is of a version that is not supported, has no readable descriptor, or is over
     *     a limit
     */
    public static TypeCatalogue catalogue(GoProgram program, Limits limits, HeapBudget heap)
            throws ExtractionException {
        if (ModuleData.minor(program.version()) < FIRST_MINOR) {
            throw unsupported(program, "expected 1." + FIRST_MINOR + " or later");
        }
        Memory memory = new Memory(program, limits, heap);
        ModuleData module = ModuleData.find(program, memory, limits);
        OmissionLog log = new OmissionLog(heap);
        try {
            List<Definition> definitions = new GoTypes(memory, module, limits, heap, log).definitions(module);
            log.requireAnyUnit();
            if (!log.omissions().isEmpty() && ModuleData.isLater(program.version())) {
                throw unsupported(program, String.valueOf(Omission.summary(log.omissions())));
            }
            return TypeCatalogue.ofProgram(definitions, log.omissions());
        } catch (MalformedInputException e) {
            if (ModuleData.isLater(program.version())) {
                throw unsupported(program, String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    private static UnsupportedInputException unsupported(GoProgram program, String problem) {
        return new UnsupportedInputException(
                SECTION,
                ExtractionException.NO_OFFSET,
                "type descriptors of Go " + HostileText.quote(program.version()) + " are not supported: " + problem);
    }

    private List<Definition> definitions(ModuleData module) throws ExtractionException {
        List<Definition> definitions = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Descriptor type : reachable(module)) {
            Deadline.checkCurrent();
            Optional<TypeKind> kind = type.definedKind();
            try {
                String name = descriptors.name(type);
                if (kind.isPresent() && descriptors.hasWholeName(type)) {
                    TypeShape shape = shape(type, 0);
                    if (names.add(name)) {
                        definitions.add(new Definition(
                                kind.get(), name, name, null, "", GO, SECTION, type.address() - module.types(), shape));
                    }
                }
            } catch (ExtractionException e) {
                log.omit(Part.TYPE, type.address(), e);
            }
        }
        return definitions;
    }

    /** Returns every type that a link, the row or another type leads to, in the order in which they are found. */
    private List<Descriptor> reachable(ModuleData module) throws ExtractionException {
        List<Descriptor> found = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        if (module.rowEnd() != 0) {
            try {
                reachRow(module, seen, found);
            } catch (ExtractionException e) {
                log.omit(Part.UNIT, module.types(), e);
            }
        } else {
            ByteCursor links = memory.at(module.links(), Math.multiplyExact(module.linkCount(), 4L));
            while (links.hasRemaining()) {
                reach(module.types() + links.u32(), seen, found);
            }
            if (found.isEmpty()) {
                // It has links, and each leads to a fault.
                descriptors.at(module.types() + memory.at(module.links(), 4).u32());
            }
        }
        if (!found.isEmpty()) {
            log.noteUnit();
        }
        return found;
    }

    private void reachRow(ModuleData module, Set<Long> seen, List<Descriptor> found) throws ExtractionException {
        // The row starts one word behind the start of the types.
        long at = module.types() + word;
        while (Long.compareUnsigned(at, module.rowEnd()) < 0) {
            long end = descriptors.at(at).end();
            reach(at, seen, found);
            at = aligned(end);
        }
        if (at != aligned(module.rowEnd())) {
            throw memory.malformed(
                    module.types(),
                    "the last type descriptor ends at 0x" + Long.toHexString(at) + "; expected 0x"
                            + Long.toHexString(module.rowEnd()));
        }
    }

    /** Adds the type at an address and all that it leads to, unless they were seen. */
    private void reach(long start, Set<Long> seen, List<Descriptor> found) throws ExtractionException {
        Deque<Long> next = new ArrayDeque<>(List.of(start));
        while (!next.isEmpty()) {
            Deadline.checkCurrent();
            long address = next.remove();
            if (!seen.add(address)) {
                continue;
            }
            if (seen.size() > limits.maxEntries()) {
                throw new LimitExceededException(
                        SECTION, ExtractionException.NO_OFFSET, "maxEntries", limits.maxEntries(), "more types");
            }
            try {
                Descriptor type = descriptors.at(address);
                found.add(type);
                next.addAll(type.references());
            } catch (ExtractionException e) {
                log.omit(Part.TYPE, address, e);
            }
        }
    }

    private long aligned(long address) {
        return (address + word - 1) & -word;
    }

    private TypeShape shape(Descriptor type, int depth) throws ExtractionException {
        TypeShape known = shapes.get(type.address());
        if (known == null) {
            requireDepth(type, depth);
            if (!open.add(type.address())) {
                return faulty(type, memory.malformed(type.address(), "a type contains itself by value"));
            }
            try {
                known = read(type, depth);
            } catch (ExtractionException e) {
                known = faulty(type, e);
            }
            open.remove(type.address());
            shapes.put(type.address(), known);
        }
        // The limit is on the whole chain: the part that is read first makes no difference.
        requireDepth(type, depth + heights.getOrDefault(type.address(), 0));
        return known;
    }

    /** Notes the fault of a type, and returns what its descriptor alone says of it. */
    private TypeShape faulty(Descriptor type, ExtractionException fault) throws LimitExceededException {
        log.omit(Part.TYPE, type.address(), fault);
        return new IncompleteShape(type.text(), IncompleteShape.Reason.of(fault), type.size());
    }

    /** Returns the shape of an element or field of a type. A fault of its descriptor was noted when it was reached. */
    private TypeShape partOf(Descriptor owner, long address, int depth) throws ExtractionException {
        Descriptor part;
        try {
            part = descriptors.at(address);
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            return new IncompleteShape("?", IncompleteShape.Reason.of(e));
        }
        TypeShape shape = shape(part, depth + 1);
        raise(owner, part);
        return shape;
    }

    private void requireDepth(Descriptor type, int depth) throws LimitExceededException {
        if (depth > limits.maxTypeDepth()) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxTypeDepth",
                    limits.maxTypeDepth(),
                    "types in types below 0x" + Long.toHexString(type.address()));
        }
    }

    private TypeShape read(Descriptor type, int depth) throws ExtractionException {
        String name = descriptors.name(type);
        return switch (type.kind()) {
            case BOOL -> new BaseShape(name, type.size(), BaseShape.Encoding.BOOLEAN);
            case SIGNED -> new BaseShape(name, type.size(), BaseShape.Encoding.SIGNED);
            case UNSIGNED -> new BaseShape(name, type.size(), BaseShape.Encoding.UNSIGNED);
            case FLOAT -> new BaseShape(name, type.size(), BaseShape.Encoding.FLOATING);
            case COMPLEX -> new BaseShape(name, type.size(), BaseShape.Encoding.OTHER);
            case STRING -> words(type, name, "str", pointer("*uint8", TypeKind.BASE, "uint8"), "len");
            case SLICE -> {
                String element = descriptors.name(descriptors.at(type.elements().getFirst()));
                yield words(type, name, "array", pointer("*" + element, TypeKind.TYPEDEF, element), "len", "cap");
            }
            case INTERFACE -> {
                String representation = type.methods() == 0 ? "runtime.eface" : "runtime.iface";
                String first = type.methods() == 0 ? "_type" : "tab";
                String target = type.methods() == 0 ? "runtime._type" : "runtime.itab";
                yield alias(
                        name,
                        struct(
                                representation,
                                type.size(),
                                List.of(
                                        field(first, 0, pointer("*" + target, TypeKind.STRUCT, target)),
                                        field("data", word, pointer))));
            }
            case ARRAY -> {
                TypeShape shape = partOf(type, type.elements().getFirst(), depth);
                yield new ArrayShape(
                        Spelling.of(name),
                        shape,
                        List.of(type.length()),
                        ArrayShape.byteSize(shape.byteSize(), type.length()));
            }
            case STRUCT -> structure(type, name, depth);
            case POINTER -> {
                String target = descriptors.name(descriptors.at(type.elements().getFirst()));
                TypeShape shape = pointer("*" + target, TypeKind.TYPEDEF, target);
                yield type.isNamed() ? alias(name, shape) : shape;
            }
            case MAP, CHANNEL, FUNCTION -> alias(name, pointer(name, TypeKind.BASE, "void"));
            case UNSAFE_POINTER -> type.isPredeclared() ? pointer : alias(name, pointer);
        };
    }

    private void raise(Descriptor type, Descriptor part) {
        heights.merge(type.address(), heights.getOrDefault(part.address(), 0) + 1, Math::max);
    }

    private TypeShape structure(Descriptor type, String name, int depth) throws ExtractionException {
        List<Member> members = new ArrayList<>(type.fields().size());
        for (Descriptor.Field field : type.fields()) {
            TypeShape shape = partOf(type, field.type(), depth);
            members.add(new Member(
                    field.embedded() ? Member.Role.EMBEDDED : Member.Role.FIELD,
                    field.name(),
                    location(type, field, members.size()),
                    Member.NOT_A_BIT_FIELD,
                    0,
                    shape));
        }
        return struct(name, type.size(), members);
    }

    private MemberLocation location(Descriptor type, Descriptor.Field field, int number) throws ExtractionException {
        if (field.offset() < 0 || field.offset() > type.size()) {
            MalformedInputException fault = memory.malformed(
                    type.address(),
                    "field at " + Long.toUnsignedString(field.offset()) + " of a struct of " + type.size() + " bytes");
            log.omit(Part.MEMBER, type.address() + number, fault);
            return new MemberLocation.Unsupported(String.valueOf(fault.getMessage()));
        }
        return new MemberLocation.Fixed(Math.multiplyExact(field.offset(), (long) Byte.SIZE));
    }

    private static AggregateShape struct(String name, long size, List<Member> members) {
        return new AggregateShape(TypeKind.STRUCT, name, name, size, 0, members);
    }

    /** Returns a struct of a pointer and integers of a word each, as strings and slices are. */
    private TypeShape words(Descriptor type, String name, String first, TypeShape pointed, String... counts) {
        List<Member> members = new ArrayList<>();
        members.add(field(first, 0, pointed));
        for (String count : counts) {
            members.add(
                    field(count, (long) members.size() * word, new BaseShape("int", word, BaseShape.Encoding.SIGNED)));
        }
        return struct(name, type.size(), members);
    }

    private static Member field(String name, long offset, TypeShape type) {
        return new Member(
                Member.Role.FIELD, name, new MemberLocation.Fixed(offset * Byte.SIZE), Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static TypeShape alias(String name, TypeShape target) {
        return new AliasShape(AliasKind.TYPEDEF, Spelling.of(name), target);
    }

    private TypeShape pointer(String spelling, TypeKind kind, String target) {
        TypeShape shape = kind == TypeKind.BASE
                ? new BaseShape(target, TypeShape.UNKNOWN_SIZE, BaseShape.Encoding.OTHER)
                : new NamedShape(kind, target);
        return new PointerShape(PointerKind.POINTER, Spelling.of(spelling), word, shape);
    }
}
