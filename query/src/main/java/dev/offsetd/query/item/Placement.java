package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Placement of a member: its offset and size in the item's outermost type. */
public sealed interface Placement {

    TypeShape type();

    /**
     * A placement that is fixed at compile time.
     *
     * @param bitOffset bits from the start of the outermost type to the first bit in memory order
     * @param bitSize width in bits of a bit-field, or {@link Member#NOT_A_BIT_FIELD}
     * @param storageBytes for a bit-field the size in bytes of its storage unit, which is its {@code DW_AT_byte_size}, or else that
     *     of its type; 0 otherwise
     * @param pastEnd whether the path has an index past the end of an array
     * @param via the last step that leads here; null for the outermost type itself
     */
    record Fixed(
            TypeShape type,
            long bitOffset,
            int bitSize,
            long storageBytes,
            boolean pastEnd,
            @Nullable Via via) implements Placement {

        /** Returns the placement of a type in itself. */
        public static Fixed start(TypeShape type) {
            return new Fixed(type, 0, Member.NOT_A_BIT_FIELD, 0, false, null);
        }

        Fixed withType(TypeShape other) {
            return new Fixed(other, bitOffset, bitSize, storageBytes, pastEnd, via);
        }

        public boolean isBitField() {
            return bitSize != Member.NOT_A_BIT_FIELD;
        }

        /**
         * Returns the bytes from the start of the outermost type; for a bit-field, to the byte that holds its first bit.
         */
        public long offset() {
            return Math.floorDiv(bitOffset, Byte.SIZE);
        }

        /**
         * Returns the size in bytes, for a bit-field of the bytes that its bits touch; {@link TypeShape#UNKNOWN_SIZE} if
         * unknown.
         */
        public long size() {
            return isBitField() ? bytesTouched(bitOffset, bitSize) : type.byteSize();
        }

        /**
         * Returns this placement counted from the origin of {@code outer}.
         *
         * @throws ArithmeticException if the bit offset overflows
         */
        public Fixed inside(Fixed outer) {
            long bits = Math.addExact(outer.bitOffset, bitOffset);
            if (isBitField()) {
                Math.addExact(bits, bitSize);
            }
            return through(outer).inBytes();
        }

        /** Returns this placement counted from the origin of {@code outer}, without the check for overflow. */
        public Fixed through(Fixed outer) {
            Via from = switch (via) {
                case null -> outer.via;
                case Via.OfMember(Fixed parent, Member member) ->
                    new Via.OfMember(parent == null ? outer : parent.through(outer), member);
                case Via.OfElement(Fixed array, long index) -> new Via.OfElement(array.through(outer), index);
            };
            return new Fixed(type, outer.bitOffset + bitOffset, bitSize, storageBytes, outer.pastEnd, from);
        }

        /**
         * Returns this placement as bits if it does not start at a byte. Parts of packed records and arrays may start at
         * any bit, and have no byte offset then.
         */
        Fixed inBytes() {
            if (bitOffset % Byte.SIZE == 0 || isBitField() || type.byteSize() <= 0) {
                return this;
            }
            long bits = Math.multiplyExact(type.byteSize(), (long) Byte.SIZE);
            return new Fixed(type, bitOffset, Math.toIntExact(bits), type.byteSize(), pastEnd, via);
        }

        /** Returns the element at this index; empty if this is not an array, or if the element cannot be counted. */
        public Optional<Fixed> element(long index) {
            try {
                return type.peeled() instanceof ArrayShape array
                        ? Optional.of(PathWalker.element(this, array, index, ""))
                        : Optional.empty();
            } catch (UnanswerableException e) {
                return Optional.empty();
            }
        }

        /** Returns whether a bit-field is signed; empty if its type does not say. */
        public Optional<Boolean> signed() {
            return Placement.signed(type);
        }
    }

    /** The last step that leads to a placement. */
    sealed interface Via {

        /**
         * A member of the type before it.
         *
         * @param parent the placement of that type; null if it is the outermost one
         */
        record OfMember(@Nullable Fixed parent, Member member) implements Via {}

        /** An element of an array. */
        record OfElement(Fixed array, long index) implements Via {}
    }

    /**
     * A placement that is known only at run time, or that the reader cannot tell.
     *
     * @param status {@link ItemStatus#COMPUTED} or {@link ItemStatus#UNSUPPORTED}
     * @param reason the reason, in a few words
     */
    record Computed(TypeShape type, ItemStatus status, String reason) implements Placement {}

    /** Returns the placement of a member in the type that has it. */
    static Placement of(Member member) {
        return switch (member.location()) {
            case MemberLocation.Computed(String reason) -> new Computed(member.type(), ItemStatus.COMPUTED, reason);
            case MemberLocation.Unsupported(String reason) ->
                new Computed(member.type(), ItemStatus.UNSUPPORTED, reason);
            case MemberLocation.Fixed(long bits) ->
                new Fixed(
                        member.type(),
                        bits,
                        member.bitSize(),
                        member.storageBytes(),
                        false,
                        new Via.OfMember(null, member));
        };
    }

    /** Returns whether a bit-field of this type is signed; empty if the type does not say. */
    static Optional<Boolean> signed(TypeShape type) {
        return switch (type.peeled()) {
            case EnumShape enumeration -> Optional.of(enumeration.signed());
            case BaseShape base ->
                switch (base.encoding()) {
                    case SIGNED -> Optional.of(true);
                    case UNSIGNED, BOOLEAN -> Optional.of(false);
                    case FLOATING, OTHER -> Optional.empty();
                };
            default -> Optional.empty();
        };
    }

    /** Returns the number of bytes that the bits touch. */
    static long bytesTouched(long bitOffset, long bitSize) {
        return bitSize == 0
                ? 0
                : Math.floorDiv(bitOffset + bitSize - 1, Byte.SIZE) - Math.floorDiv(bitOffset, Byte.SIZE) + 1;
    }

    /** Returns an array type followed by the array types of its elements; empty if the type is not an array. */
    static List<ArrayShape> arrays(TypeShape type) {
        if (!(type.peeled() instanceof ArrayShape array)) {
            return List.of();
        }
        if (!(array.element().peeled() instanceof ArrayShape)) {
            return List.of(array);
        }
        List<ArrayShape> arrays = new ArrayList<>();
        for (TypeShape shape = array; shape.peeled() instanceof ArrayShape inner; shape = inner.element()) {
            arrays.add(inner);
        }
        return arrays;
    }

    /**
     * Returns the element count of each dimension of an array, outermost first, including those of arrays in typedefs and
     * arrays; {@link ArrayShape#FLEXIBLE} without a count, {@link ArrayShape#RUN_TIME} if it is not known. Empty if the
     * type is not an array.
     */
    static List<Long> counts(TypeShape type) {
        List<ArrayShape> arrays = arrays(type);
        return arrays.size() == 1
                ? arrays.getFirst().counts()
                : arrays.stream().flatMap(array -> array.counts().stream()).toList();
    }
}
