package dev.offsetd.query.export;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * BTF (btf.rst) in the form that every reader takes: a header of 24 bytes, kinds up to 19, at most 65,535 parts of a type.
 *
 * <p>BTF is C. A reference is a pointer, a base class an unnamed member, so that its members are found as the type's own. The
 * variants of a Rust enum are members of an unnamed union. A type of another size or encoding than BTF knows is an array of
 * bytes. A struct that is held by value under a name of which the export has another layout has no name.
 */
public final class BtfRenderer implements ExportRenderer {

    /** Id of {@code void}. */
    private static final int VOID = 0;

    private static final int BTF_INT_SIGNED = 1;
    private static final int BTF_INT_BOOL = 4;

    /** Member bit offsets below this fit beside the width of a bit-field. */
    private static final long MAX_FLAGGED_OFFSET = (1 << 24) - 1;

    private static final long MAX_WORD = 0xffff_ffffL;

    /** Name of the member that selects the variant of a Rust enum. */
    private static final String DISCRIMINANT = "__discriminant";

    /** Shapes whose ids are remembered from one definition to the next. */
    private static final int MAX_REMEMBERED = 1 << 17;

    private final Architecture architecture;
    private final @Nullable ExportedTypes base;
    private final Omissions omissions = new Omissions();

    /**
     * A renderer for programs of an architecture.
     *
     * @param base types that the result contains, too: those of the kernel; null for none
     */
    public BtfRenderer(Architecture architecture, @Nullable ExportedTypes base) {
        this.architecture = architecture;
        this.base = base;
    }

    @Override
    public Omissions render(ExportedTypes types, OutputStream out) throws IOException {
        ExportedTypes own = base == null ? types : types.without(base);
        int before = base == null ? 0 : base.count();
        BtfEncoder btf = new BtfEncoder(architecture.byteOrder(), Math.addExact(before, own.count()));
        // libbpf takes the size of pointers from it.
        integer(btf, new BaseShape("long unsigned int", pointerBytes(), BaseShape.Encoding.UNSIGNED));
        if (base != null) {
            new Part(btf, base, 1).write();
        }
        new Part(btf, own, before + 1).write();
        btf.writeTo(out);
        omissions.addAll(own.omissions());
        return omissions;
    }

    private int pointerBytes() {
        return architecture.addressBytes();
    }

    private static int integer(BtfEncoder btf, BaseShape base) {
        int encoding = switch (base.encoding()) {
            case SIGNED -> BTF_INT_SIGNED;
            case BOOLEAN -> BTF_INT_BOOL;
            case UNSIGNED, FLOATING, OTHER -> 0;
        };
        return btf.add(integer(btf, base.spelling(), base.byteSize(), encoding));
    }

    private static BtfEncoder.Entry integer(BtfEncoder btf, String name, long bytes, int encoding) {
        return btf.entry(name, BtfEncoder.INT, false, 0, (int) bytes, 1).word(encoding << 24 | (int) bytes * Byte.SIZE);
    }

    /** The types of one build in the result. */
    private final class Part {

        private final BtfEncoder btf;
        private final ExportedTypes types;
        private final int firstId;
        private final IdentityHashMap<TypeShape, Integer> known = new IdentityHashMap<>();

        Part(BtfEncoder btf, ExportedTypes types, int firstId) {
            this.btf = btf;
            this.types = types;
            this.firstId = firstId;
        }

        void write() {
            types.forEach(this::write);
        }

        private void write(int number, Definition definition) {
            Deadline.checkCurrent();
            // Between definitions only: what one of them holds twice must not be made twice.
            if (known.size() > MAX_REMEMBERED) {
                known.clear();
            }
            if (number < 0) {
                type(definition.shape());
                return;
            }
            TypeShape shape = definition.shape();
            String name = types.nameOf(definition);
            if (definition.kind() != TypeKind.TYPEDEF && !fits(shape)) {
                omissions.add(definition.kind().word() + " " + name, reason(shape));
            }
            btf.set(firstId + number, entry(definition.kind(), name, shape));
        }

        private BtfEncoder.Entry entry(TypeKind kind, String name, TypeShape shape) {
            if (kind == TypeKind.TYPEDEF) {
                TypeShape target = shape instanceof AliasShape alias ? alias.target() : shape;
                return btf.entry(name, BtfEncoder.TYPEDEF, false, 0, type(target), 0);
            }
            if (fits(shape)) {
                if (shape instanceof AggregateShape aggregate) {
                    return aggregate(name, aggregate);
                }
                if (shape instanceof EnumShape enumeration) {
                    return enumeration(name, enumeration);
                }
            }
            return forward(kind, name);
        }

        private BtfEncoder.Entry forward(TypeKind kind, String name) {
            return kind == TypeKind.ENUM
                    ? btf.entry(name, BtfEncoder.ENUM, false, 0, Integer.BYTES, 0)
                    : btf.entry(name, BtfEncoder.FWD, kind == TypeKind.UNION, 0, 0, 0);
        }

        /** Returns the id of a type that another one holds or refers to. */
        private int type(TypeShape shape) {
            Integer id = known.get(shape);
            if (id == null) {
                Deadline.checkCurrent();
                id = make(shape);
                known.put(shape, id);
            }
            return id;
        }

        private int make(TypeShape shape) {
            return switch (shape) {
                case BaseShape scalar -> scalar(scalar);
                case AggregateShape _, EnumShape _ -> tagged(shape);
                case AliasShape alias -> alias(alias);
                case ArrayShape array -> array(array);
                case DifferingShape differing ->
                    type(differing.types().getFirst().type());
                case FunctionShape function -> function(function);
                case IncompleteShape incomplete -> incomplete(incomplete);
                case NamedShape named -> {
                    int number = types.reference(named);
                    yield number >= 0
                            ? firstId + number
                            : named.kind().isTag() ? btf.add(forward(named.kind(), types.nameOf(named))) : VOID;
                }
                case PointerShape pointer ->
                    pointer.byteSize() == pointerBytes()
                            ? btf.add(btf.entry("", BtfEncoder.PTR, false, 0, type(pointer.target()), 0))
                            : bytes(pointer.byteSize());
            };
        }

        private int tagged(TypeShape shape) {
            int number = types.reference(shape);
            if (number >= 0) {
                return firstId + number;
            }
            if (number == ExportedTypes.FORWARD) {
                TypeKind kind = shape instanceof AggregateShape aggregate ? aggregate.kind() : TypeKind.ENUM;
                return btf.add(forward(kind, types.nameOf(shape)));
            }
            if (!fits(shape)) {
                return bytes(shape.byteSize());
            }
            return btf.add(
                    shape instanceof AggregateShape aggregate
                            ? aggregate("", aggregate)
                            : enumeration("", (EnumShape) shape));
        }

        private int alias(AliasShape alias) {
            int kind = switch (alias.kind()) {
                case CONST -> BtfEncoder.CONST;
                case VOLATILE -> BtfEncoder.VOLATILE;
                case RESTRICT -> BtfEncoder.RESTRICT;
                case TYPEDEF, ATOMIC, DECLARATION, OTHER -> 0;
            };
            if (kind != 0) {
                return btf.add(btf.entry("", kind, false, 0, type(alias.target()), 0));
            }
            int number = types.reference(alias);
            return number >= 0 ? firstId + number : type(alias.target());
        }

        private int scalar(BaseShape scalar) {
            long bytes = scalar.byteSize();
            if (bytes < 0) {
                return VOID;
            }
            boolean power = bytes > 0 && bytes <= 16 && Long.bitCount(bytes) == 1;
            if (scalar.encoding() == BaseShape.Encoding.FLOATING) {
                return (power && bytes > 1) || bytes == 12
                        ? btf.add(btf.entry(scalar.spelling(), BtfEncoder.FLOAT, false, 0, (int) bytes, 0))
                        : bytes(bytes);
            }
            return power ? integer(btf, scalar) : bytes(bytes);
        }

        /** Returns the id of an array of so many bytes; that of {@code void} if they are too many. */
        private int bytes(long count) {
            return count < 0 || count > MAX_WORD
                    ? VOID
                    : array(integer(btf, new BaseShape("unsigned char", 1, BaseShape.Encoding.UNSIGNED)), count);
        }

        private int array(int element, long count) {
            int index = integer(btf, new BaseShape("__ARRAY_SIZE_TYPE__", 4, BaseShape.Encoding.UNSIGNED));
            return btf.add(btf.entry("", BtfEncoder.ARRAY, false, 0, 0, 3)
                    .word(element)
                    .word(index)
                    .word((int) count));
        }

        private int array(ArrayShape array) {
            int id = isOfC(array) ? type(array.element()) : VOID;
            if (id == VOID) {
                return bytes(array.byteSize());
            }
            for (long count : array.counts().reversed()) {
                if (count > MAX_WORD) {
                    return bytes(array.byteSize());
                }
                id = array(id, Math.max(count, 0));
            }
            return id;
        }

        private int function(FunctionShape function) {
            List<Integer> parameters = new ArrayList<>();
            function.parameters().stream()
                    .limit(BtfEncoder.MAX_PARTS - 1L)
                    .forEach(parameter -> parameters.add(type(parameter)));
            if (function.variadic()) {
                parameters.add(VOID);
            }
            BtfEncoder.Entry entry = btf.entry(
                    "",
                    BtfEncoder.FUNC_PROTO,
                    false,
                    parameters.size(),
                    type(function.result()),
                    2 * parameters.size());
            parameters.forEach(parameter -> entry.word(0).word(parameter));
            return btf.add(entry);
        }

        private int incomplete(IncompleteShape incomplete) {
            Optional<TypeKind> kind = TypeKind.ofTag(incomplete.spelling());
            if (kind.isPresent()) {
                NamedShape named = new NamedShape(kind.get(), incomplete.spelling());
                return btf.add(forward(kind.get(), types.nameOf(named)));
            }
            return incomplete.spelling().equals("?")
                    ? VOID
                    : btf.add(forward(TypeKind.STRUCT, types.name(incomplete.spelling())));
        }

        private BtfEncoder.Entry aggregate(String name, AggregateShape shape) {
            boolean flag = shape.members().stream().anyMatch(BtfRenderer::hasBits);
            List<Member> members = new ArrayList<>(shape.members().size());
            List<Integer> ids = new ArrayList<>(shape.members().size());
            for (Member member : shape.members()) {
                OmissionReason missing = missing(member, flag);
                int id = missing != null ? VOID : member.bitSize() == 0 ? bytes(0) : type(member.type());
                if (missing == null && id != VOID) {
                    members.add(member);
                    ids.add(id);
                } else {
                    omissions.add(shape, member, missing == null ? reason(member.type()) : missing);
                }
            }
            int kind = shape.kind() == TypeKind.UNION ? BtfEncoder.UNION : BtfEncoder.STRUCT;
            BtfEncoder.Entry entry =
                    btf.entry(name, kind, flag, members.size(), (int) shape.byteSize(), 3 * members.size());
            for (int i = 0; i < members.size(); i++) {
                Member member = members.get(i);
                int offset = (int) ((MemberLocation.Fixed) member.location()).bitOffset();
                entry.name(nameOf(member))
                        .word(ids.get(i))
                        .word(hasBits(member) ? member.bitSize() << 24 | offset : offset);
            }
            return entry;
        }

        private String nameOf(Member member) {
            return switch (member.role()) {
                case BASE_CLASS -> "";
                case DISCRIMINANT -> DISCRIMINANT;
                case FIELD, EMBEDDED -> member.name() == null ? "" : types.name(member.name());
            };
        }

        private BtfEncoder.Entry enumeration(String name, EnumShape shape) {
            List<Enumerator> enumerators =
                    shape.enumerators().stream().filter(Enumerator::known).toList();
            if (enumerators.isEmpty()) {
                // Types like std::byte have no enumerators. BTF has an enumeration without enumerators for a
                // declaration.
                return integer(btf, name, shape.byteSize(), shape.signed() ? BTF_INT_SIGNED : 0);
            }
            boolean wide = shape.byteSize() > Integer.BYTES;
            BtfEncoder.Entry entry = btf.entry(
                    name,
                    wide ? BtfEncoder.ENUM64 : BtfEncoder.ENUM,
                    shape.signed(),
                    enumerators.size(),
                    (int) shape.byteSize(),
                    (wide ? 3 : 2) * enumerators.size());
            for (Enumerator enumerator : enumerators) {
                entry.name(types.name(enumerator.name())).word((int) enumerator.value());
                if (wide) {
                    entry.word((int) (enumerator.value() >> 32));
                }
            }
            return entry;
        }
    }

    /** Returns whether a member is a bit-field of C. In BTF, one of 0 bits would be a whole member; rustc has some. */
    private static boolean hasBits(Member member) {
        return member.bitSize() > 0;
    }

    /** Returns why a member is left out before its type is made, or null. */
    private static @Nullable OmissionReason missing(Member member, boolean flag) {
        if (!(member.location() instanceof MemberLocation.Fixed(long bitOffset))) {
            return OmissionReason.of(member.location());
        }
        if (member.type().byteOrder() != null) {
            return OmissionReason.BYTE_ORDER;
        }
        TypeShape type = member.type().peeled();
        if (bitOffset < 0 || bitOffset > (flag ? MAX_FLAGGED_OFFSET : MAX_WORD) || member.bitSize() > 0xff) {
            return OmissionReason.TOO_LARGE;
        }
        return type instanceof IncompleteShape || type instanceof FunctionShape ? OmissionReason.NO_SIZE : null;
    }

    private static OmissionReason reason(TypeShape shape) {
        return shape.byteSize() < 0 ? OmissionReason.NO_SIZE : OmissionReason.TOO_LARGE;
    }

    /** Returns whether BTF has a record for a struct, union, class or enumeration. */
    private static boolean fits(TypeShape shape) {
        return switch (shape) {
            case AggregateShape aggregate ->
                aggregate.byteSize() >= 0
                        && aggregate.byteSize() <= MAX_WORD
                        && aggregate.members().size() <= BtfEncoder.MAX_PARTS;
            case EnumShape enumeration ->
                enumeration.byteSize() > 0
                        && enumeration.byteSize() <= Long.BYTES
                        && Long.bitCount(enumeration.byteSize()) == 1
                        && enumeration.enumerators().size() <= BtfEncoder.MAX_PARTS;
            default -> false;
        };
    }

    /** Returns whether the elements of an array are where C has them, whatever their indexes. */
    static boolean isOfC(ArrayShape array) {
        if (array.indexing() == null) {
            return true;
        }
        ArrayShape plain = new ArrayShape(array.declarator(), array.element(), array.counts(), array.byteSize());
        for (int dimension = 0; dimension < array.counts().size(); dimension++) {
            if (array.indexing().computed() != null || array.bitStride(dimension) != plain.bitStride(dimension)) {
                return false;
            }
        }
        return true;
    }
}
