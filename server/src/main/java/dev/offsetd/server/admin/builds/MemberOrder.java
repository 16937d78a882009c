package dev.offsetd.server.admin.builds;

import dev.offsetd.server.admin.map.Piece;
import dev.offsetd.server.operations.Word;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Order of the table of members; members of one struct stay together. */
enum MemberOrder implements Word {
    /** The order of the debug information. */
    OFFSET,
    /** The largest member or hole first. */
    SIZE,
    /** The member before the largest hole first; each hole follows its member. */
    HOLE;

    List<Piece> sorted(List<Piece> pieces) {
        return switch (this) {
            case OFFSET -> pieces;
            case SIZE -> pieces.stream().sorted(largestFirst()).toList();
            case HOLE ->
                withTheirHoles(pieces).stream()
                        .sorted(Comparator.comparingLong(MemberOrder::holeBits).reversed())
                        .flatMap(List::stream)
                        .toList();
        };
    }

    private static Comparator<Piece> largestFirst() {
        return Comparator.comparingLong((Piece piece) -> piece.bits().length()).reversed();
    }

    /** Returns each member with the holes after it. */
    private static List<List<Piece>> withTheirHoles(List<Piece> pieces) {
        List<List<Piece>> groups = new ArrayList<>();
        for (Piece piece : pieces) {
            if (groups.isEmpty() || !piece.isHole()) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(piece);
        }
        return groups;
    }

    private static long holeBits(List<Piece> group) {
        return group.stream()
                .filter(Piece::isHole)
                .mapToLong(piece -> piece.bits().length())
                .sum();
    }
}
