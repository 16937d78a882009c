package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.server.admin.format.Format;
import dev.offsetd.server.admin.map.BitRange;
import dev.offsetd.server.admin.map.Piece;
import dev.offsetd.server.admin.map.PlacementText;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The table of members below a memory map, and the actions of the blocks of the map. */
final class MemberLines {

    private static final int MAX_LINES = 2_000;

    private final Function<String, @Nullable String> pinPath;
    private final Function<String, String> foldPath;
    private final ByteOrder order;
    private final MemberOrder sorting;
    private final List<TypePage.MemberLine> shown = new ArrayList<>();
    private final Map<String, TypePage.BlockLink> actions = new HashMap<>();
    private int count;

    /**
     * Creates an empty table.
     *
     * @param pinPath path of the form that pins a member; null if the user cannot pin
     * @param foldPath path of the page with a member expanded or collapsed
     */
    MemberLines(
            Function<String, @Nullable String> pinPath,
            Function<String, String> foldPath,
            ByteOrder order,
            MemberOrder sorting) {
        this.pinPath = pinPath;
        this.foldPath = foldPath;
        this.order = order;
        this.sorting = sorting;
    }

    List<TypePage.MemberLine> shown() {
        return shown;
    }

    /** Returns the actions by member path. */
    Map<String, TypePage.BlockLink> actions() {
        return actions;
    }

    /** Returns the number of lines beyond the limit. */
    int omitted() {
        return count - shown.size();
    }

    void add(List<Piece> pieces, int depth) {
        for (Piece piece : sorting.sorted(pieces)) {
            add(piece, depth);
            add(piece.inside(), depth + 1);
        }
    }

    private void add(Piece piece, int depth) {
        if (count++ >= MAX_LINES) {
            return;
        }
        int number = shown.size();
        BitRange bits = piece.bits();
        String newPin = piece.path().isEmpty() ? null : pinPath.apply(piece.path());
        String fold = piece.folding() == Piece.Folding.NONE ? null : foldPath.apply(piece.path());
        Piece.Pinned pin = piece.pin();
        String pinned = pin == null ? null : PagePath.PINS + "/" + pin.pin();
        shown.add(new TypePage.MemberLine(
                number,
                depth,
                piece.isHole() ? (bits.isWholeBytes() ? "hole" : "unused bits") : piece.name(),
                piece.type(),
                Format.count(bits.offset()),
                PlacementText.hex(bits.offset()),
                length(piece),
                piece.bitField() ? PlacementText.bitPlace(bits, order) : "",
                piece.isHole(),
                piece.folding() == Piece.Folding.FOLDED,
                fold,
                newPin,
                pinned,
                pin == null ? "" : extracted(pin.extracted())));
        if (!piece.path().isEmpty()) {
            actions.put(
                    piece.path(), action(number, fold, pinned == null || newPin == null ? newPin : pinned + "/edit"));
        }
    }

    /** Adds the members whose offset is not known, such as those computed at run time. The map cannot show them. */
    void addComputed(AggregateShape shape) {
        for (Member member : shape.members()) {
            String reason = member.location().whyUnknown();
            if (reason != null && count++ < MAX_LINES) {
                String name = member.name();
                long size = member.type().byteSize();
                shown.add(new TypePage.MemberLine(
                        shown.size(),
                        0,
                        name == null ? "base " + member.type().spelling() : name,
                        member.type().spelling(),
                        "",
                        "",
                        size == TypeShape.UNKNOWN_SIZE ? "unknown" : Format.count(size),
                        reason,
                        false,
                        false,
                        null,
                        name == null ? null : pinPath.apply(name),
                        null,
                        ""));
            }
        }
    }

    private static String length(Piece piece) {
        return switch (piece.kind()) {
            case UNKNOWN -> "unknown";
            case HOLE -> PlacementText.length(piece.bits());
            case OPEN ->
                piece.bits().length() == 0 ? "open" : Format.count(piece.bits().bytes());
            default -> Format.count(piece.bits().bytes());
        };
    }

    /** Returns the action of a block: expand or collapse it, open its form, or go to its line. */
    private static TypePage.BlockLink action(int number, @Nullable String fold, @Nullable String form) {
        if (fold != null) {
            return new TypePage.BlockLink(fold, fold, "#layout", "#layout", "outerHTML", "true");
        }
        return form == null
                ? new TypePage.BlockLink("#member-" + number, null, null, null, null, null)
                : new TypePage.BlockLink(
                        form, form, "#pin-at-" + number, null, "innerHTML show:#member-" + number + ":top", null);
    }

    private static String extracted(@Nullable BitRange bits) {
        return bits == null
                ? "not in the debug information"
                : "extracted: " + Format.count(bits.offset()) + " (" + PlacementText.hex(bits.offset()) + "), "
                        + PlacementText.length(bits);
    }
}
