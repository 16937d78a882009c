package dev.offsetd.server.admin.map;

import dev.offsetd.server.admin.format.Format;
import java.nio.ByteOrder;

/** Text for placements in maps and tables. */
public final class PlacementText {

    private PlacementText() {}

    /** Returns {@code 0x1f8}. */
    public static String hex(long number) {
        return "0x" + Long.toHexString(number);
    }

    /** Returns {@code 8 bytes}, {@code 3 bits} or {@code 4 bytes and 3 bits}. */
    public static String length(BitRange bits) {
        long bytes = bits.length() / Byte.SIZE;
        long rest = bits.length() % Byte.SIZE;
        if (rest == 0) {
            return Format.count(bytes, "byte");
        }
        return bytes == 0
                ? Format.count(rest, "bit")
                : Format.count(bytes, "byte") + " and " + Format.count(rest, "bit");
    }

    /** Describes a piece in one line. */
    static String describe(Piece piece, ByteOrder order) {
        StringBuilder line = new StringBuilder();
        if (piece.isHole()) {
            line.append(piece.bits().isWholeBytes() ? "hole" : "unused bits");
        } else {
            line.append(piece.name());
            if (!piece.type().isEmpty()) {
                line.append(": ").append(piece.type());
            }
        }
        line.append("; ").append(place(piece.bits()));
        line.append("; ")
                .append(
                        switch (piece.kind()) {
                            case UNKNOWN -> "size unknown";
                            case OPEN -> piece.bits().length() == 0 ? "flexible array" : length(piece.bits());
                            default -> length(piece.bits());
                        });
        if (piece.bitField()) {
            line.append("; ").append(bitPlace(piece.bits(), order));
        }
        Piece.Pinned pin = piece.pin();
        if (pin != null) {
            BitRange extracted = pin.extracted();
            line.append("; pinned, ")
                    .append(
                            extracted == null
                                    ? "not in the debug information"
                                    : "extracted: " + place(extracted) + ", " + length(extracted));
        }
        switch (piece.folding()) {
            case FOLDED -> line.append("; click to expand");
            case UNFOLDED, NONE -> {}
        }
        return line.toString();
    }

    /** Returns {@code offset 24 (0x18)}. */
    static String place(BitRange bits) {
        return "offset " + Format.count(bits.offset()) + " (" + hex(bits.offset()) + ")";
    }

    /** Returns {@code bits 3 to 4 of 1 byte}: bits of the integer that the bytes form, counted from the lowest. */
    public static String bitPlace(BitRange bits, ByteOrder order) {
        long bytes = bits.bytes();
        long lowest = order == ByteOrder.LITTLE_ENDIAN
                ? bits.first() % Byte.SIZE
                : bytes * Byte.SIZE - bits.first() % Byte.SIZE - bits.length();
        return (bits.length() == 1 ? "bit " + lowest : "bits " + lowest + " to " + (lowest + bits.length() - 1))
                + " of " + Format.count(bytes, "byte");
    }
}
