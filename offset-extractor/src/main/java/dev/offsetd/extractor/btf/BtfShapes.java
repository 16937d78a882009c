package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.omission.OmissionLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Shapes of the types of one object in a {@code .BTF} section, and of its kernel if it is a module. Not thread-safe. */
final class BtfShapes {

    private static final Language C = new Language("C", Language.Family.C);
    private static final Shaped VOID =
            new Shaped(new BaseShape("void", TypeShape.UNKNOWN_SIZE, BaseShape.Encoding.OTHER), 0);

    static final int BTF_INT_SIGNED = 1;
    private static final int BTF_INT_BOOL = 4;

    private final int number;
    private final boolean isSplit;
    private final int pointerBytes;
    private final TypeTable types;
    private final StringTable strings;
    private final Spellings spellings;
    private final Map<Long, Shaped> known = new HashMap<>();
    private final Map<Long, Shaped> targets = new HashMap<>();
    private final Set<Long> open = new HashSet<>();
    private final OmissionLog log;

    /** State that the parts of a section share. */
    record Reading(Limits limits, HeapBudget heap, OmissionLog log) {}

    /** @param height types followed for the shape */
    private record Shaped(TypeShape shape, int height) {}

    /**
     * @param number of the last part among those of the section
     * @param pointerBytes see {@link BtfTypes#catalogue}
     */
    BtfShapes(List<BtfPart> parts, int number, int pointerBytes, Reading reading) throws ExtractionException {
        Limits limits = reading.limits();
        HeapBudget heap = reading.heap();
        this.log = reading.log();
        this.number = number;
        this.isSplit = parts.size() > 1;
        this.pointerBytes = pointerBytes;
        this.types = TypeTable.readable(parts, limits, heap);
        this.strings = new StringTable(parts, limits, heap);
        this.spellings = new Spellings(types, strings, limits);
    }

    /** Returns the named types and the unnamed enumerations, see {@link BtfTypes#catalogue}. */
    List<Definition> definitions() throws ExtractionException {
        ExtractionException fault = types.fault();
        if (fault != null) {
            omit(Part.UNIT, BtfPart.address(number, 0), fault);
        }
        List<Definition> definitions = new ArrayList<>();
        Set<String> defined = new HashSet<>();
        for (long id = 1; id <= types.size(); id++) {
            Deadline.checkCurrent();
            TypeRecord type = types.get(id, 0);
            TypeKind kind = type.typeKind();
            if (kind == null || !(type.isNamed() || type.isEnumeration())) {
                continue;
            }
            String name;
            try {
                name = strings.at(type.nameOffset(), type.offset());
            } catch (ExtractionException e) {
                omit(Part.TYPE, address(type, 0), e);
                continue;
            }
            TypeShape shape = shape(id, type, 0).shape();
            Definition definition =
                    new Definition(kind, name, name, null, "", C, type.section().name(), type.offset(), shape);
            definitions.add(definition);
            if (!definition.isDeclaration()) {
                defined.add(name);
            }
        }
        definitions.removeIf(definition -> definition.isDeclaration() && defined.contains(definition.name()));
        if (fault == null || types.size() > 0) {
            log.noteUnit();
        }
        return definitions;
    }

    /** @param inType bytes from the start of the type's record */
    private long address(TypeRecord type, long inType) {
        return BtfPart.address(number, type.offset() + inType);
    }

    /** Notes a fault. In split BTF, it may mean that the base is of another kernel, so that nothing is right. */
    private void omit(Part part, long address, ExtractionException fault) throws ExtractionException {
        if (isSplit) {
            throw fault;
        }
        log.omit(part, address, fault);
    }

    /** Notes a reference that leads nowhere, and returns what is known of its type. */
    private Shaped nowhere(TypeRecord referrer, ExtractionException fault) throws ExtractionException {
        omit(Part.TYPE, address(referrer, 0), fault);
        return new Shaped(new IncompleteShape("?", IncompleteShape.Reason.of(fault)), 0);
    }

    /** Notes the fault of a type, and returns what its record alone says of it. */
    private Shaped faulty(long id, TypeRecord type, ExtractionException fault) throws ExtractionException {
        omit(Part.TYPE, address(type, 0), fault);
        String spelling = "?";
        try {
            spelling = spellings.of(id, type).text();
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException e) {
            // Part of the same fault.
        }
        boolean statesSize = type.isAggregate()
                || type.isEnumeration()
                || type.kind() == Btf.BTF_KIND_INT
                || type.kind() == Btf.BTF_KIND_FLOAT;
        long bytes = statesSize
                ? type.sizeOrType()
                : type.kind() == Btf.BTF_KIND_PTR ? pointerBytes : TypeShape.UNKNOWN_SIZE;
        return new Shaped(new IncompleteShape(spelling, IncompleteShape.Reason.of(fault), bytes), 0);
    }

    private Shaped shape(long id, TypeRecord referrer, int depth) throws ExtractionException {
        if (id == 0) {
            return VOID;
        }
        TypeRecord type;
        try {
            type = types.get(id, referrer.offset());
        } catch (MalformedInputException e) {
            return nowhere(referrer, e);
        }
        Shaped found = known.get(id);
        if (found == null) {
            types.requireDepth(type, depth, 0);
            if (!open.add(id)) {
                return faulty(id, type, types.malformed(type, "a type contains itself by value"));
            }
            try {
                found = read(id, type, depth);
            } catch (ExtractionException e) {
                found = faulty(id, type, e);
            }
            open.remove(id);
            known.put(id, found);
        }
        // The limit is on the whole chain: the part that is read first makes no difference.
        types.requireDepth(type, depth, found.height());
        return found;
    }

    private Shaped read(long id, TypeRecord type, int depth) throws ExtractionException {
        if (type.kind() == Btf.BTF_KIND_TYPE_TAG) {
            Shaped target = shape(type.sizeOrType(), type, depth + 1);
            return new Shaped(target.shape(), target.height() + 1);
        }
        Spelling declarator = spellings.of(id, type);
        String spelling = declarator.text();
        if (type.isDeclaration()) {
            return new Shaped(new IncompleteShape(spelling, IncompleteShape.Reason.DECLARED), 0);
        }
        if (type.isAggregate()) {
            return aggregate(type, spelling, depth);
        }
        if (type.isEnumeration()) {
            return new Shaped(enumeration(type, spelling), 0);
        }
        if (type.isQualifier() || type.kind() == Btf.BTF_KIND_TYPEDEF) {
            Shaped target = shape(type.sizeOrType(), type, depth + 1);
            return new Shaped(new AliasShape(aliasKind(type), declarator, target.shape()), target.height() + 1);
        }
        return switch (type.kind()) {
            case Btf.BTF_KIND_INT -> new Shaped(new BaseShape(spelling, type.sizeOrType(), encoding(type)), 0);
            case Btf.BTF_KIND_FLOAT ->
                new Shaped(new BaseShape(spelling, type.sizeOrType(), BaseShape.Encoding.FLOATING), 0);
            case Btf.BTF_KIND_PTR -> {
                Shaped target = target(type.sizeOrType(), type, depth + 1);
                yield new Shaped(
                        new PointerShape(PointerKind.POINTER, declarator, pointerBytes, target.shape()),
                        target.height() + 1);
            }
            case Btf.BTF_KIND_FUNC_PROTO -> function(type, declarator, depth);
            case Btf.BTF_KIND_ARRAY -> {
                Dimensions array = Dimensions.read(type, types);
                yield array(declarator, array, shape(array.element(), type, depth + 1));
            }
            default -> throw types.malformed(type, "reference to kind " + type.kind() + "; expected a type");
        };
    }

    private static Shaped array(Spelling declarator, Dimensions array, Shaped element) {
        long bytes = ArrayShape.byteSize(
                element.shape().byteSize(),
                array.counts().stream().mapToLong(Long::longValue).toArray());
        return new Shaped(new ArrayShape(declarator, element.shape(), array.counts(), bytes), element.height() + 1);
    }

    private static AliasKind aliasKind(TypeRecord type) {
        return switch (type.kind()) {
            case Btf.BTF_KIND_CONST -> AliasKind.CONST;
            case Btf.BTF_KIND_VOLATILE -> AliasKind.VOLATILE;
            case Btf.BTF_KIND_RESTRICT -> AliasKind.RESTRICT;
            default -> AliasKind.TYPEDEF;
        };
    }

    /** Returns the shape of what a pointer points to, or a function takes or returns: names refer to types there. */
    private Shaped target(long id, TypeRecord referrer, int depth) throws ExtractionException {
        if (id == 0) {
            return VOID;
        }
        Shaped found = targets.get(id);
        TypeRecord type;
        try {
            type = types.get(id, referrer.offset());
        } catch (MalformedInputException e) {
            return nowhere(referrer, e);
        }
        if (found == null) {
            types.requireDepth(type, depth, 0);
            try {
                found = readTarget(id, type, depth);
            } catch (ExtractionException e) {
                found = faulty(id, type, e);
            }
            targets.put(id, found);
        }
        types.requireDepth(type, depth, found.height());
        return found;
    }

    private Shaped readTarget(long id, TypeRecord type, int depth) throws ExtractionException {
        Spelling declarator = spellings.of(id, type);
        TypeKind kind = type.typeKind();
        if (kind != null && kind != TypeKind.BASE && type.isNamed()) {
            return new Shaped(new NamedShape(kind, declarator.text()), 0);
        }
        if (open.contains(id)) {
            return new Shaped(
                    new IncompleteShape(declarator.text(), new IncompleteShape.Reason.Unread("refers to itself")), 0);
        }
        if (type.isQualifier()) {
            Shaped target = target(type.sizeOrType(), type, depth + 1);
            return new Shaped(new AliasShape(aliasKind(type), declarator, target.shape()), target.height() + 1);
        }
        return switch (type.kind()) {
            case Btf.BTF_KIND_TYPE_TAG -> {
                Shaped target = target(type.sizeOrType(), type, depth + 1);
                yield new Shaped(target.shape(), target.height() + 1);
            }
            case Btf.BTF_KIND_ARRAY -> {
                Dimensions array = Dimensions.read(type, types);
                yield array(declarator, array, target(array.element(), type, depth + 1));
            }
            default -> shape(id, type, depth);
        };
    }

    private Shaped function(TypeRecord type, Spelling declarator, int depth) throws ExtractionException {
        ByteCursor in = types.data(type);
        List<TypeShape> parameters = new ArrayList<>(type.count());
        Shaped result = target(type.sizeOrType(), type, depth + 1);
        int height = result.height() + 1;
        boolean variadic = false;
        for (int i = 0; i < type.count(); i++) {
            long name = in.u32();
            long id = in.u32();
            if (name == 0 && id == 0 && i == type.count() - 1) {
                variadic = true;
            } else {
                Shaped parameter = target(id, type, depth + 1);
                height = Math.max(height, parameter.height() + 1);
                parameters.add(parameter.shape());
            }
        }
        return new Shaped(new FunctionShape(declarator, result.shape(), parameters, variadic), height);
    }

    private BaseShape.Encoding encoding(TypeRecord type) throws ExtractionException {
        long encoding = types.data(type).u32() >> 24 & 0xf;
        return (encoding & BTF_INT_BOOL) != 0
                ? BaseShape.Encoding.BOOLEAN
                : (encoding & BTF_INT_SIGNED) != 0 ? BaseShape.Encoding.SIGNED : BaseShape.Encoding.UNSIGNED;
    }

    private Shaped aggregate(TypeRecord type, String spelling, int depth) throws ExtractionException {
        ByteCursor in = types.data(type);
        List<Member> members = new ArrayList<>(type.count());
        int height = 0;
        for (int i = 0; i < type.count(); i++) {
            long nameOffset = in.u32();
            long id = in.u32();
            long place = in.u32();
            Shaped of = shape(id, type, depth + 1);
            height = Math.max(height, of.height() + 1);
            try {
                String name = strings.at(nameOffset, type.offset());
                members.add(member(type, name.isEmpty() ? null : name, id, of.shape(), place));
            } catch (ExtractionException e) {
                omit(Part.MEMBER, address(type, TypeRecord.BYTES + 12L * i), e);
                members.add(new Member(
                        Member.Role.FIELD,
                        null,
                        new MemberLocation.Unsupported(String.valueOf(e.getMessage())),
                        Member.NOT_A_BIT_FIELD,
                        0,
                        of.shape()));
            }
        }
        String name = strings.at(type.nameOffset(), type.offset());
        TypeKind kind = type.kind() == Btf.BTF_KIND_UNION ? TypeKind.UNION : TypeKind.STRUCT;
        return new Shaped(
                new AggregateShape(kind, name.isEmpty() ? null : name, spelling, type.sizeOrType(), 0, members),
                height);
    }

    /** @param place {@code offset} of {@code struct btf_member}; bits count in memory order in both byte orders */
    private Member member(TypeRecord owner, @Nullable String name, long id, TypeShape shape, long place)
            throws ExtractionException {
        long bitOffset = place;
        long bitSize = 0;
        if (owner.flag()) {
            bitOffset = place & 0xffffff;
            bitSize = place >> 24;
        } else if (shape.peeled() instanceof BaseShape base) {
            // The old way: the width of a bit-field is that of an INT made for it.
            long bits = intBits(id, owner);
            long width = bits & 0xff;
            long shift = bits >> 16 & 0xff;
            bitOffset += shift;
            if (bits != 0 && (width != base.byteSize() * 8 || bitOffset % 8 != 0)) {
                bitSize = width;
            }
        } else if (place % 8 != 0 && shape.byteSize() > 0) {
            bitSize = Math.min(shape.byteSize(), Integer.MAX_VALUE / 8) * 8;
        }
        return new Member(
                Member.Role.FIELD,
                name,
                new MemberLocation.Fixed(bitOffset),
                bitSize == 0 ? Member.NOT_A_BIT_FIELD : (int) bitSize,
                bitSize == 0 ? 0 : Math.max(shape.byteSize(), 0),
                shape);
    }

    /** Returns what an INT behind typedefs and qualifiers adds to its record; 0 for another type. */
    private long intBits(long id, TypeRecord referrer) throws ExtractionException {
        TypeRecord type = referrer;
        long at = id;
        while (at != 0) {
            type = types.get(at, type.offset());
            if (type.kind() == Btf.BTF_KIND_INT) {
                return types.data(type).u32();
            }
            if (type.kind() == Btf.BTF_KIND_FLOAT) {
                return 0;
            }
            at = type.sizeOrType();
        }
        return 0;
    }

    private EnumShape enumeration(TypeRecord type, String spelling) throws ExtractionException {
        ByteCursor in = types.data(type);
        List<Enumerator> enumerators = new ArrayList<>(type.count());
        for (int i = 0; i < type.count(); i++) {
            String name = strings.at(in.u32(), type.offset());
            long value = in.u32();
            if (type.kind() == Btf.BTF_KIND_ENUM64) {
                value |= in.u32() << 32;
            } else if (type.flag()) {
                value = value << 32 >> 32;
            }
            enumerators.add(new Enumerator(name, extend(value, type.sizeOrType(), type.flag())));
        }
        String name = strings.at(type.nameOffset(), type.offset());
        return new EnumShape(name.isEmpty() ? null : name, spelling, type.sizeOrType(), type.flag(), enumerators);
    }

    /**
     * Returns the value as a number of {@code bytes} bytes: it is written with the sign extended, whatever its size.
     */
    private static long extend(long value, long bytes, boolean signed) {
        if (bytes <= 0 || bytes >= 8) {
            return value;
        }
        int unused = 64 - (int) bytes * 8;
        return signed ? value << unused >> unused : value << unused >>> unused;
    }
}
