package dev.offsetd.query.typeset;

import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Placement;
import java.math.BigInteger;

/** Measure that a name of a {@link NameMap} takes from the answer to its item. */
public enum Measure {
    /** Bytes from the start of the outermost type, for a bit-field to the byte that holds its first bit. */
    OFFSET("offset"),
    /** Bytes of a type or member. */
    SIZE("size"),
    /** Bits from the start of the outermost type in memory order. */
    BIT_OFFSET("bitOffset"),
    /** Width in bits. */
    BIT_SIZE("bitSize"),
    /** Value of an enumerator. */
    VALUE("value");

    private final String word;

    Measure(String word) {
        this.word = word;
    }

    /** Returns the word in type sets. */
    public String word() {
        return word;
    }

    /** Returns whether every alternative of an item may have this measure. */
    boolean suits(Item item) {
        return item.alternatives().stream()
                .allMatch(alternative -> this == VALUE
                        ? alternative instanceof Alternative.EnumeratorName
                        : alternative instanceof Alternative.TypePath);
    }

    /** Returns what {@link #suits}, for error messages. */
    String subject() {
        return switch (this) {
            case VALUE -> "an enumerator, \"enumerator NAME\"";
            case SIZE -> "a type or a member";
            case OFFSET, BIT_OFFSET, BIT_SIZE -> "a member, TYPE.MEMBER";
        };
    }

    /** Returns this measure of what an item was found to be. */
    MapValue of(ItemAnswer answer) {
        return switch (answer.outcome()) {
            case ItemOutcome.PathFound path -> of(path.placement(), answer);
            case ItemOutcome.TypeFound type
            when this == SIZE -> bytes(type.definition().shape().byteSize(), 1, answer);
            case ItemOutcome.EnumeratorFound found
            when this == VALUE ->
                of(found.found().enumerator(), found.found().enumeration().shape(), answer);
            case ItemOutcome outcome
            when outcome.status() != ItemStatus.FOUND -> new MapValue.Missing(answer.item(), outcome.status(), null);
            default -> unsupported(answer, "it is not " + subject());
        };
    }

    private MapValue of(Placement.Fixed placement, ItemAnswer answer) {
        return switch (this) {
            case OFFSET -> new MapValue.Known(placement.offset());
            case BIT_OFFSET -> new MapValue.Known(placement.bitOffset());
            case SIZE -> bytes(placement.size(), 1, answer);
            case BIT_SIZE ->
                placement.isBitField()
                        ? new MapValue.Known(placement.bitSize())
                        : bytes(placement.size(), Byte.SIZE, answer);
            case VALUE -> unsupported(answer, "it is not " + subject());
        };
    }

    private static MapValue bytes(long size, int unit, ItemAnswer answer) {
        return size == TypeShape.UNKNOWN_SIZE
                ? unsupported(answer, "its size is not known")
                : new MapValue.Known(BigInteger.valueOf(size).multiply(BigInteger.valueOf(unit)));
    }

    private static MapValue of(Enumerator enumerator, TypeShape enumeration, ItemAnswer answer) {
        if (!enumerator.known()) {
            return unsupported(answer, "its value is not known");
        }
        boolean signed = !(enumeration.peeled() instanceof EnumShape shape) || shape.signed();
        long bytes = enumeration.byteSize();
        BigInteger value = BigInteger.valueOf(enumerator.value());
        if (signed || value.signum() >= 0) {
            return new MapValue.Known(value);
        }
        int bits = bytes > 0 && bytes < Long.BYTES ? Math.toIntExact(bytes) * Byte.SIZE : Long.SIZE;
        return new MapValue.Known(value.mod(BigInteger.ONE.shiftLeft(bits)));
    }

    private static MapValue unsupported(ItemAnswer answer, String detail) {
        return new MapValue.Missing(answer.item(), ItemStatus.UNSUPPORTED, detail);
    }
}
