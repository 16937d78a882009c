package dev.offsetd.query.export;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
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
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Shapes as type descriptors of ISF. Collects the unnamed types and the base types on the way, which the file defines too. Names
 * are those of dwarf2json, which plugins of volatility3 use: a struct or union has the name of the typedef through which it is
 * referred to, and an unnamed one without a typedef has a name made of a hash of its layout.
 */
final class IsfTypes {

    private static final String UNNAMED = "unnamed_";
    private static final String UNNAMED_FIELD = "unnamed_field_";

    /** Bytes of a hash in a name. */
    private static final int HASH_BYTES = 8;

    private final ExportedTypes types;
    private final Omissions omissions;

    /** Names of structs, unions and classes, which are stronger than those of typedefs. */
    private final Set<String> tags;

    /** Shapes whose types are remembered from one definition to the next. */
    private static final int MAX_REMEMBERED = 1 << 17;

    /** Typedefs of a struct that have its fields. More of them have it as a field, or the export would be quadratic. */
    private static final int MAX_COPIES = 16;

    private static final JsonFactory JSON = new JsonFactory();

    /**
     * Types of structs, unions and classes. By identity: a struct may hold one shape in many ways, and equality of shapes
     * visits all that they hold.
     */
    private IdentityHashMap<AggregateShape, IsfType> known = new IdentityHashMap<>();

    private final IdentityHashMap<EnumShape, String> enumNames = new IdentityHashMap<>();

    /** Typedefs that gave their names to a struct, union or class. */
    private final IdentityHashMap<AggregateShape, Integer> copies = new IdentityHashMap<>();

    private final Map<String, IsfType> typedefs = new HashMap<>();
    private final Set<String> unnamed = new HashSet<>();
    private final Deque<Map.Entry<String, IsfType.IsfAggregate>> unwritten = new ArrayDeque<>();
    private final TreeMap<String, EnumShape> enums = new TreeMap<>();
    private final TreeMap<String, BaseShape> bases = new TreeMap<>();

    IsfTypes(ExportedTypes types, Set<String> tags, Omissions omissions) {
        this.types = types;
        this.tags = tags;
        this.omissions = omissions;
    }

    /** Returns the base types that were met or {@linkplain #add(BaseShape) added}, by name. */
    SortedMap<String, BaseShape> bases() {
        return bases;
    }

    /** Returns the enumerations that were met or {@linkplain #add(EnumShape) added}, by name. */
    SortedMap<String, EnumShape> enums() {
        return enums;
    }

    /** Returns the next unnamed struct or union that was met, each once; empty if there is none. */
    Optional<Map.Entry<String, IsfType.IsfAggregate>> nextUnnamed() {
        return Optional.ofNullable(unwritten.poll());
    }

    void add(BaseShape base) {
        if (base.byteSize() != TypeShape.UNKNOWN_SIZE) {
            bases.putIfAbsent(base.spelling(), base);
        }
    }

    /** Forgets shapes of earlier definitions if they are many. Callers call it between two definitions. */
    void beginDefinition() {
        Deadline.checkCurrent();
        if (known.size() + enumNames.size() + copies.size() > MAX_REMEMBERED) {
            known.clear();
            enumNames.clear();
            copies.clear();
        }
    }

    /** Adds an enumeration and returns its name. */
    String add(EnumShape shape) {
        String name = enumNames.get(shape);
        if (name == null) {
            name = types.nameOf(shape);
            if (name.isEmpty() || types.reference(shape) == ExportedTypes.INLINE) {
                name = UNNAMED + hash(out -> writeEnumeration(shape, out));
            }
            enumNames.put(shape, name);
            enums.putIfAbsent(name, shape);
        }
        return name;
    }

    private static void writeEnumeration(EnumShape shape, JsonGenerator out) {
        out.writeStartArray();
        out.writeString(shape.spelling());
        out.writeNumber(shape.byteSize());
        out.writeBoolean(shape.signed());
        for (Enumerator enumerator : shape.enumerators()) {
            out.writeString(enumerator.name());
            if (enumerator.known()) {
                out.writeNumber(enumerator.value());
            } else {
                out.writeNull();
            }
        }
        out.writeEndArray();
    }

    /** Returns the struct or union that a typedef of this name gives its name to; empty if there is none. */
    Optional<AggregateShape> renamedBy(String typedef, TypeShape target) {
        TypeShape shape = target;
        while (shape instanceof AliasShape alias && alias.kind() == AliasKind.DECLARATION) {
            shape = alias.target();
        }
        return shape instanceof AggregateShape aggregate && !typedef.isEmpty() && !tags.contains(typedef)
                ? Optional.of(aggregate)
                : Optional.empty();
    }

    /** Returns the descriptor of a type. */
    IsfType of(TypeShape shape) {
        return switch (shape) {
            case AliasShape alias -> alias(alias);
            case PointerShape pointer -> new IsfType.PointerType(of(pointer.target()));
            case ArrayShape array -> array(array);
            case FunctionShape _ -> IsfType.FUNCTION;
            case BaseShape base -> base(base);
            case NamedShape named -> named(named);
            case AggregateShape aggregate -> aggregate(aggregate);
            case EnumShape enumeration -> new IsfType.NamedType("enum", add(enumeration));
            case DifferingShape differing -> of(differing.types().getFirst().type());
            case IncompleteShape incomplete -> incomplete(incomplete);
        };
    }

    private IsfType alias(AliasShape alias) {
        return alias.kind() == AliasKind.TYPEDEF && types.reference(alias) >= 0
                ? typedef(alias, alias.target())
                : of(alias.target());
    }

    private IsfType typedef(TypeShape typedef, TypeShape target) {
        String name = types.nameOf(typedef);
        return renamedBy(name, target)
                .<IsfType>map(
                        aggregate -> new IsfType.NamedType(aggregate.kind().word(), name))
                .orElseGet(() -> of(target));
    }

    private IsfType array(ArrayShape array) {
        IsfType type = of(array.element());
        for (long count : array.counts().reversed()) {
            type = new IsfType.ArrayType(Math.max(count, 0), type);
        }
        return type;
    }

    private IsfType base(BaseShape base) {
        add(base);
        return base.byteSize() == TypeShape.UNKNOWN_SIZE
                ? IsfType.VOID
                : new IsfType.NamedType("base", base.spelling());
    }

    private IsfType named(NamedShape named) {
        if (named.kind() != TypeKind.TYPEDEF) {
            return new IsfType.NamedType(named.kind().word(), types.nameOf(named));
        }
        String name = types.nameOf(named);
        IsfType type = typedefs.get(name);
        if (type == null) {
            // The target of a typedef may name it again: type T *T in Go.
            typedefs.put(name, IsfType.VOID);
            // Types that refer to the typedef are others while it is void.
            IdentityHashMap<AggregateShape, IsfType> outside = known;
            known = new IdentityHashMap<>();
            type = types.find(named).map(Definition::shape).map(this::of).orElse(IsfType.VOID);
            known = outside;
            typedefs.put(name, type);
        }
        return type;
    }

    private IsfType aggregate(AggregateShape shape) {
        IsfType type = known.get(shape);
        if (type == null) {
            type = named(shape);
            known.put(shape, type);
        }
        return type;
    }

    private IsfType named(AggregateShape shape) {
        if (shape.name() != null && types.reference(shape) != ExportedTypes.INLINE) {
            return new IsfType.NamedType(shape.kind().word(), types.nameOf(shape));
        }
        IsfType.IsfAggregate layout = layout(shape);
        String name = UNNAMED + hash(layout::writeTo);
        if (unnamed.add(name)) {
            unwritten.add(Map.entry(name, layout));
        }
        return new IsfType.NamedType(layout.kind(), name);
    }

    private IsfType incomplete(IncompleteShape shape) {
        return TypeKind.ofTag(shape.spelling())
                .<IsfType>map(kind -> new IsfType.NamedType(kind.word(), types.name(kind.untagged(shape.spelling()))))
                .orElse(IsfType.VOID);
    }

    /** Returns the fields of a typedef of a struct, union or class. */
    IsfType.IsfAggregate layoutOfTypedef(AggregateShape target) {
        if (copies.merge(target, 1, Integer::sum) <= MAX_COPIES || types.reference(target) == ExportedTypes.FORWARD) {
            return layout(target);
        }
        return new IsfType.IsfAggregate(
                target.kind().word(),
                Math.max(target.byteSize(), 0),
                List.of(new IsfType.IsfField(UNNAMED_FIELD + 0, 0, true, of(target))));
    }

    /** Returns the fields of a struct, union or class. Members that ISF cannot express are left out. */
    IsfType.IsfAggregate layout(AggregateShape shape) {
        Deadline.checkCurrent();
        List<IsfType.IsfField> fields = new ArrayList<>(shape.members().size());
        Set<String> names = new HashSet<>();
        int anonymous = 0;
        for (Member member : shape.members()) {
            if (!(member.location() instanceof MemberLocation.Fixed(long bitOffset))) {
                omissions.add(shape, member, OmissionReason.of(member.location()));
                continue;
            }
            if (member.type().byteOrder() != null) {
                omissions.add(shape, member, OmissionReason.BYTE_ORDER);
                continue;
            }
            String own = member.name();
            String name = own == null ? UNNAMED_FIELD + Integer.toHexString(anonymous++) : types.name(own);
            if (!names.add(name)) {
                omissions.add(shape.spelling() + "." + name, OmissionReason.AMBIGUOUS);
                continue;
            }
            IsfType type = of(member.type());
            if (member.bitSize() == 0) {
                type = new IsfType.ArrayType(0, type);
            } else if (member.isBitField()) {
                type = new IsfType.BitFieldType((int) (bitOffset % Byte.SIZE), member.bitSize(), type);
            }
            fields.add(new IsfType.IsfField(name, bitOffset / Byte.SIZE, own == null, type));
        }
        return new IsfType.IsfAggregate(shape.kind().word(), Math.max(shape.byteSize(), 0), fields);
    }

    private static String hash(Consumer<JsonGenerator> content) {
        MessageDigest digest = Sha256.digest();
        OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest);
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            content.accept(json);
        }
        return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
    }
}
