package dev.offsetd.query.store;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Codec of one shape; the shapes inside it are stored as numbers. */
final class ShapeCodec {

    private static final int AGGREGATE = 0;
    private static final int ALIAS = 1;
    private static final int ARRAY = 2;
    private static final int BASE = 3;
    private static final int ENUM = 4;
    private static final int FUNCTION = 5;
    private static final int INCOMPLETE = 6;
    private static final int POINTER = 7;
    /** An array that is not indexed as in C. */
    private static final int INDEXED_ARRAY = 8;
    /** An alias whose spelling does not show its kind. */
    private static final int MARKED_ALIAS = 9;

    private static final int NAMED = 10;

    private static final int HAS_NAME = 1;
    private static final int BASE_CLASS = 2;
    private static final int BIT_FIELD = 4;
    private static final int COMPUTED = 8;
    private static final int DISCRIMINANT = 16;
    private static final int IN_VARIANT = 32;
    private static final int EMBEDDED = 64;
    private static final int UNSUPPORTED = 128;

    private static final int HEX = 16;

    private static final int SIGNED = 1;
    private static final int WIDE = 2;

    private static final TypeKind[] AGGREGATES = {TypeKind.STRUCT, TypeKind.UNION, TypeKind.CLASS};
    private static final AliasKind[] ALIASES = AliasKind.values();
    private static final PointerKind[] POINTERS = PointerKind.values();
    private static final Map<String, AliasKind> QUALIFIERS = Map.of(
            "const", AliasKind.CONST,
            "volatile", AliasKind.VOLATILE,
            "restrict", AliasKind.RESTRICT,
            "_Atomic", AliasKind.ATOMIC);
    private static final IncompleteShape NOT_STORED =
            new IncompleteShape("?", new IncompleteShape.Reason.Unread("not stored"));
    private static final BaseShape.Encoding[] ENCODINGS = BaseShape.Encoding.values();
    private static final ByteOrder[] BYTE_ORDERS = {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN};

    private ShapeCodec() {}

    static byte[] encode(TypeShape shape, ToIntFunction<TypeShape> number) {
        BlobOutput out = new BlobOutput();
        switch (shape) {
            case AggregateShape aggregate -> encode(aggregate, number, out);
            case AliasShape alias -> encode(alias, number, out);
            case ArrayShape array -> encode(array, number, out);
            case BaseShape base -> {
                out.unsigned(BASE)
                        .string(base.spelling())
                        .signed(base.byteSize())
                        .unsigned(indexOf(ENCODINGS, base.encoding()));
                encode(base.byteOrder(), out);
            }
            case DifferingShape _ ->
                throw new IllegalArgumentException("only answers differ, definitions do not: " + shape);
            case EnumShape enumeration -> encode(enumeration, out);
            case FunctionShape function -> encode(function, number, out);
            case IncompleteShape incomplete -> {
                out.unsigned(INCOMPLETE)
                        .string(incomplete.spelling())
                        .string(incomplete.reason().text());
                if (incomplete.byteSize() != TypeShape.UNKNOWN_SIZE) {
                    // Earlier readers stop before it.
                    out.signed(incomplete.byteSize());
                }
            }
            case NamedShape named ->
                out.unsigned(NAMED)
                        .unsigned(indexOf(CatalogueFormat.KINDS, named.kind()))
                        .string(named.spelling());
            case PointerShape pointer -> {
                out.unsigned(POINTER)
                        .string(pointer.spelling())
                        .signed(pointer.byteSize())
                        .optional(pointer.pointee())
                        .unsigned(pointer.declarator().after().length())
                        .unsigned(indexOf(POINTERS, pointer.kind()));
                // Most targets are named, and the name is written already.
                if (pointer.target() instanceof NamedShape named) {
                    out.unsigned(1 + indexOf(CatalogueFormat.KINDS, named.kind()));
                } else {
                    out.unsigned(0).unsigned(number.applyAsInt(pointer.target()));
                }
            }
        }
        return out.toBytes();
    }

    private static void encode(AggregateShape aggregate, ToIntFunction<TypeShape> number, BlobOutput out) {
        out.unsigned(AGGREGATE)
                .unsigned(indexOf(AGGREGATES, aggregate.kind()))
                .optional(aggregate.name())
                .string(aggregate.spelling())
                .signed(aggregate.byteSize())
                .unsigned(aggregate.alignment())
                .unsigned(aggregate.members().size());
        for (Member member : aggregate.members()) {
            encode(member, number, out);
        }
        // Earlier readers stop before the discriminants of more than 64 bits.
        for (int i = 0; i < aggregate.members().size(); i++) {
            Variant variant = aggregate.members().get(i).variant();
            if (variant != null && variant.values().stream().anyMatch(Variant.ValueRange::isWide)) {
                out.unsigned(i).unsigned(variant.values().size());
                for (Variant.ValueRange range : variant.values()) {
                    out.string(range.first().toString(HEX)).string(range.last().toString(HEX));
                }
            }
        }
    }

    private static void encode(AliasShape alias, ToIntFunction<TypeShape> number, BlobOutput out) {
        boolean spelled = alias.kind() == spelledKind(alias.declarator(), alias.target());
        out.unsigned(spelled || alias.resolvedFrom() != null ? ALIAS : MARKED_ALIAS)
                .string(alias.spelling())
                .unsigned(number.applyAsInt(alias.target()));
        if (alias.resolvedFrom() != null) {
            out.unsigned(alias.declarator().after().length()).string(alias.resolvedFrom());
        } else if (spelled) {
            writeAfterLength(alias, out);
        } else {
            out.unsigned(alias.declarator().after().length()).unsigned(indexOf(ALIASES, alias.kind()));
        }
    }

    private static void encode(ArrayShape array, ToIntFunction<TypeShape> number, BlobOutput out) {
        out.unsigned(array.indexing() == null ? ARRAY : INDEXED_ARRAY)
                .string(array.spelling())
                .unsigned(number.applyAsInt(array.element()))
                .signed(array.byteSize())
                .unsigned(array.counts().size());
        array.counts().forEach(out::signed);
        if (array.indexing() != null) {
            encode(array.indexing(), out);
        }
        writeAfterLength(array, out);
    }

    private static void encode(EnumShape enumeration, BlobOutput out) {
        boolean wide = enumeration.enumerators().stream().anyMatch(enumerator -> !enumerator.known());
        out.unsigned(ENUM)
                .optional(enumeration.name())
                .string(enumeration.spelling())
                .signed(enumeration.byteSize())
                .unsigned((enumeration.signed() ? SIGNED : 0) | (wide ? WIDE : 0))
                .unsigned(enumeration.enumerators().size());
        for (Enumerator enumerator : enumeration.enumerators()) {
            out.string(enumerator.name()).signed(enumerator.value());
            if (wide) {
                out.unsigned(enumerator.known() ? 1 : 0);
            }
        }
        encode(enumeration.byteOrder(), out);
    }

    /** Ends an entry with the byte order of the type, if it is not that of the file. Earlier readers stop before it. */
    private static void encode(@Nullable ByteOrder byteOrder, BlobOutput out) {
        if (byteOrder != null) {
            out.unsigned(indexOf(BYTE_ORDERS, byteOrder));
        }
    }

    private static @Nullable ByteOrder byteOrder(BlobInput in) {
        return in.remaining() > 0 ? at(BYTE_ORDERS, in.count()) : null;
    }

    private static void encode(FunctionShape function, ToIntFunction<TypeShape> number, BlobOutput out) {
        out.unsigned(FUNCTION)
                .string(function.spelling())
                .unsigned(function.declarator().after().length())
                .unsigned(number.applyAsInt(function.result()))
                .unsigned(function.variadic() ? 1 : 0)
                .unsigned(function.parameters().size());
        for (TypeShape parameter : function.parameters()) {
            out.unsigned(number.applyAsInt(parameter));
        }
    }

    /**
     * Ends an entry with the length of the spelling after the name, unless that is 0. Earlier readers stop before it.
     */
    private static void writeAfterLength(TypeShape shape, BlobOutput out) {
        int afterLength = shape.declarator().after().length();
        if (afterLength > 0) {
            out.unsigned(afterLength);
        }
    }

    private static Spelling spelling(String text, BlobInput in) {
        int afterLength = in.remaining() > 0 ? in.count() : 0;
        if (afterLength > text.length()) {
            throw new CorruptBlobException(
                    "place " + afterLength + " from the end of a spelling of " + text.length() + " characters");
        }
        return Spelling.ofText(text, afterLength);
    }

    private static void encode(ArrayShape.Indexing indexing, BlobOutput out) {
        indexing.lowerBounds().forEach(out::signed);
        indexing.bitStrides().forEach(out::signed);
        out.signed(indexing.elementBits()).optional(indexing.computed());
    }

    private static void encode(Member member, ToIntFunction<TypeShape> number, BlobOutput out) {
        boolean unsupported = member.location() instanceof MemberLocation.Unsupported;
        // Earlier readers know the first of the two flags.
        boolean computed = member.location() instanceof MemberLocation.Computed || unsupported;
        out.unsigned((member.name() != null ? HAS_NAME : 0)
                | (member.role() == Member.Role.BASE_CLASS ? BASE_CLASS : 0)
                | (member.isBitField() ? BIT_FIELD : 0)
                | (computed ? COMPUTED : 0)
                | (member.role() == Member.Role.DISCRIMINANT ? DISCRIMINANT : 0)
                | (member.variant() != null ? IN_VARIANT : 0)
                | (member.role() == Member.Role.EMBEDDED ? EMBEDDED : 0)
                | (unsupported ? UNSUPPORTED : 0));
        if (member.name() != null) {
            out.string(member.name());
        }
        switch (member.location()) {
            case MemberLocation.Fixed fixed -> out.signed(fixed.bitOffset());
            case MemberLocation.Computed(String reason) -> out.string(reason);
            case MemberLocation.Unsupported(String reason) -> out.string(reason);
        }
        if (member.isBitField()) {
            out.unsigned(member.bitSize()).unsigned(member.storageBytes());
        }
        out.unsigned(number.applyAsInt(member.type()));
        Variant variant = member.variant();
        if (variant != null) {
            List<Variant.ValueRange> narrow =
                    variant.values().stream().filter(range -> !range.isWide()).toList();
            out.signed(variant.discriminantBytes()).unsigned(narrow.size());
            for (Variant.ValueRange range : narrow) {
                out.signed(range.first().longValue()).signed(range.last().longValue());
            }
        }
    }

    static TypeShape decode(BlobInput in, IntFunction<TypeShape> shapes) {
        int tag = in.count();
        return switch (tag) {
            case AGGREGATE -> {
                TypeKind kind = at(AGGREGATES, in.count());
                String name = in.optional();
                String spelling = in.string();
                long byteSize = in.signed();
                long alignment = in.unsigned();
                int count = in.count();
                List<Member> members = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    members.add(member(in, shapes));
                }
                while (in.remaining() > 0) {
                    readWideVariant(in, members);
                }
                yield new AggregateShape(kind, name, spelling, byteSize, alignment, members);
            }
            case ALIAS, MARKED_ALIAS -> {
                String text = in.string();
                TypeShape target = shapes.apply(in.count());
                Spelling declarator = spelling(text, in);
                if (tag == MARKED_ALIAS) {
                    yield new AliasShape(at(ALIASES, in.count()), declarator, target);
                }
                yield in.remaining() > 0
                        ? new AliasShape(AliasKind.DECLARATION, declarator, target, in.string())
                        : new AliasShape(spelledKind(declarator, target), declarator, target);
            }
            case ARRAY, INDEXED_ARRAY -> {
                String text = in.string();
                TypeShape element = shapes.apply(in.count());
                long byteSize = in.signed();
                int dimensions = in.count();
                if (dimensions == 0) {
                    throw new CorruptBlobException("array without dimensions at byte " + in.position());
                }
                List<Long> counts = numbers(in, dimensions);
                ArrayShape.Indexing indexing = tag == ARRAY ? null : indexing(in, dimensions);
                yield new ArrayShape(spelling(text, in), element, counts, byteSize, indexing);
            }
            case BASE -> new BaseShape(in.string(), in.signed(), at(ENCODINGS, in.count()), byteOrder(in));
            case ENUM -> {
                String name = in.optional();
                String spelling = in.string();
                long byteSize = in.signed();
                int flags = in.count();
                int count = in.count();
                List<Enumerator> enumerators = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    enumerators.add(enumerator(in, (flags & WIDE) != 0));
                }
                yield new EnumShape(name, spelling, byteSize, (flags & SIGNED) != 0, enumerators, byteOrder(in));
            }
            case FUNCTION -> function(in, shapes);
            case INCOMPLETE ->
                new IncompleteShape(
                        in.string(),
                        IncompleteShape.Reason.of(in.string()),
                        in.remaining() > 0 ? in.signed() : TypeShape.UNKNOWN_SIZE);
            case NAMED -> new NamedShape(at(CatalogueFormat.KINDS, in.count()), in.string());
            case POINTER -> pointer(in, shapes);
            default -> throw new CorruptBlobException("unknown shape " + tag + " at byte " + in.position());
        };
    }

    private static FunctionShape function(BlobInput in, IntFunction<TypeShape> shapes) {
        Spelling declarator = spelling(in.string(), in);
        if (in.remaining() == 0) {
            // Catalogues of extractor version 5 and below end here.
            return new FunctionShape(declarator, NOT_STORED, List.of(), true);
        }
        TypeShape result = shapes.apply(in.count());
        boolean variadic = in.count() != 0;
        int count = in.count();
        List<TypeShape> parameters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parameters.add(shapes.apply(in.count()));
        }
        return new FunctionShape(declarator, result, parameters, variadic);
    }

    private static PointerShape pointer(BlobInput in, IntFunction<TypeShape> shapes) {
        String text = in.string();
        long byteSize = in.signed();
        String pointee = in.optional();
        Spelling declarator = spelling(text, in);
        if (in.remaining() == 0) {
            // Catalogues of extractor version 5 and below end here.
            TypeShape target = pointee == null ? NOT_STORED : new NamedShape(spelledKind(pointee), pointee);
            return new PointerShape(PointerKind.POINTER, declarator, byteSize, target);
        }
        PointerKind kind = at(POINTERS, in.count());
        int named = in.count();
        if (named == 0) {
            return new PointerShape(kind, declarator, byteSize, shapes.apply(in.count()));
        }
        if (pointee == null) {
            throw new CorruptBlobException("pointer to a named type without its name at byte " + in.position());
        }
        TypeKind targetKind = at(CatalogueFormat.KINDS, named - 1);
        return new PointerShape(kind, declarator, byteSize, new NamedShape(targetKind, pointee));
    }

    /** Returns the kind of an alias that its spelling shows, which most entries leave out. */
    private static AliasKind spelledKind(Spelling declarator, TypeShape target) {
        for (Map.Entry<String, AliasKind> qualifier : QUALIFIERS.entrySet()) {
            if (declarator.before().contains(qualifier.getKey())
                    && !declarator.equals(target.declarator())
                    && declarator.equals(target.declarator().qualified(qualifier.getKey()))) {
                return qualifier.getValue();
            }
        }
        return AliasKind.TYPEDEF;
    }

    /** Returns the kind of a named type that its spelling shows: that of a tag, if it has one. */
    private static TypeKind spelledKind(String spelling) {
        return TypeKind.ofTag(spelling).orElse(TypeKind.TYPEDEF);
    }

    private static ArrayShape.Indexing indexing(BlobInput in, int dimensions) {
        return new ArrayShape.Indexing(numbers(in, dimensions), numbers(in, dimensions), in.signed(), in.optional());
    }

    private static List<Long> numbers(BlobInput in, int count) {
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(in.signed());
        }
        return numbers;
    }

    private static Enumerator enumerator(BlobInput in, boolean wide) {
        String name = in.string();
        long value = in.signed();
        return wide && in.count() == 0 ? Enumerator.tooWide(name) : new Enumerator(name, value);
    }

    private static Member member(BlobInput in, IntFunction<TypeShape> shapes) {
        int flags = in.count();
        String name = (flags & HAS_NAME) != 0 ? in.string() : null;
        MemberLocation location = (flags & UNSUPPORTED) != 0
                ? new MemberLocation.Unsupported(in.string())
                : (flags & COMPUTED) != 0
                        ? new MemberLocation.Computed(in.string())
                        : new MemberLocation.Fixed(in.signed());
        boolean bitField = (flags & BIT_FIELD) != 0;
        int bitSize = bitField ? in.count() : Member.NOT_A_BIT_FIELD;
        long storageBytes = bitField ? in.unsigned() : 0;
        TypeShape type = shapes.apply(in.count());
        Variant variant = (flags & IN_VARIANT) != 0 ? variant(in) : null;
        return new Member(role(flags), name, location, bitSize, storageBytes, type, variant);
    }

    private static Member.Role role(int flags) {
        if ((flags & BASE_CLASS) != 0) {
            return Member.Role.BASE_CLASS;
        }
        if ((flags & EMBEDDED) != 0) {
            return Member.Role.EMBEDDED;
        }
        return (flags & DISCRIMINANT) != 0 ? Member.Role.DISCRIMINANT : Member.Role.FIELD;
    }

    private static Variant variant(BlobInput in) {
        long discriminantBytes = in.signed();
        int count = in.count();
        List<Variant.ValueRange> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(new Variant.ValueRange(in.signed(), in.signed()));
        }
        return new Variant(values, discriminantBytes);
    }

    private static void readWideVariant(BlobInput in, List<Member> members) {
        int index = in.count();
        Variant variant = index < members.size() ? members.get(index).variant() : null;
        if (variant == null) {
            throw new CorruptBlobException("discriminants of member " + index + " at byte " + in.position());
        }
        int count = in.count();
        List<Variant.ValueRange> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(new Variant.ValueRange(wide(in), wide(in)));
        }
        members.set(index, members.get(index).withVariant(new Variant(values, variant.discriminantBytes())));
    }

    private static BigInteger wide(BlobInput in) {
        String digits = in.string();
        try {
            return new BigInteger(digits, HEX);
        } catch (NumberFormatException e) {
            throw new CorruptBlobException("discriminant " + HostileText.quote(digits) + "; expected a hex number");
        }
    }

    static <T> int indexOf(T[] values, T value) {
        return Arrays.asList(values).indexOf(value);
    }

    static <T> T at(T[] values, int index) {
        if (index >= values.length) {
            throw new CorruptBlobException("constant number " + index + "; expected less than " + values.length);
        }
        return values[index];
    }
}
