package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.admin.map.BitRange;
import dev.offsetd.server.admin.map.Piece;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The table of members below a memory map. */
final class MemberLines {

    private static final int MAX_LINES = 2_000;

    private final TypeView view;
    private final @Nullable String item;
    private final ByteOrder order;
    private final List<MemberLine> shown = new ArrayList<>();
    private final Map<String, MemberLine> byPath = new HashMap<>();
    private int count;

    /**
     * A member or a hole.
     *
     * @param depth nesting in expanded members
     * @param place null if it is computed at run time
     * @param bits place of a bit-field in its bytes, or why the place is not known
     * @param fold path of the page with the member expanded or collapsed; null if it has no members
     * @param form path of the form to pin it, or to edit its pin; null if the user cannot pin it
     */
    record MemberLine(
            int number,
            int depth,
            String name,
            String type,
            @Nullable BitRange place,
            String size,
            String bits,
            boolean hole,
            boolean folded,
            @Nullable String fold,
            @Nullable String form,
            Piece.@Nullable Pinned pin) {}

    /** @param item the type as an item of a query; null if the user cannot pin */
    MemberLines(TypeView view, @Nullable String item, ByteOrder order) {
        this.view = view;
        this.item = item;
        this.order = order;
    }

    List<MemberLine> shown() {
        return shown;
    }

    /** Returns the lines of members by path, which the blocks of the map link to. */
    Map<String, MemberLine> byPath() {
        return byPath;
    }

    /** Returns the number of lines beyond the limit. */
    int omitted() {
        return count - shown.size();
    }

    void add(List<Piece> pieces, int depth) {
        for (Piece piece : view.sort().sorted(pieces)) {
            if (count++ < MAX_LINES) {
                MemberLine line = line(piece, depth);
                shown.add(line);
                if (!piece.path().isEmpty()) {
                    byPath.put(piece.path(), line);
                }
            }
            add(piece.inside(), depth + 1);
        }
    }

    private MemberLine line(Piece piece, int depth) {
        Piece.Pinned pin = piece.pin();
        String form = piece.path().isEmpty() ? null : newPin(piece.path());
        return new MemberLine(
                shown.size(),
                depth,
                piece.isHole() ? (piece.bits().isWholeBytes() ? "hole" : "unused bits") : piece.name(),
                piece.type(),
                piece.bits(),
                switch (piece.kind()) {
                    case UNKNOWN -> "unknown";
                    case HOLE -> piece.bits().lengthText();
                    case OPEN ->
                        piece.bits().length() == 0
                                ? "open"
                                : Format.count(piece.bits().bytes());
                    default -> Format.count(piece.bits().bytes());
                },
                piece.bitField() ? piece.bits().bitsText(order) : "",
                piece.isHole(),
                piece.folding() == Piece.Folding.FOLDED,
                piece.folding() == Piece.Folding.NONE
                        ? null
                        : view.toggling(piece.path()).path(),
                form != null && pin != null ? PagePath.ofEdit(pin.pin()) : form,
                pin);
    }

    private @Nullable String newPin(String path) {
        return item == null
                ? null
                : PagePath.ofNewPin(view.id(), item + "." + path).toString();
    }

    /** Adds the members whose offset is not known, such as those computed at run time. The map cannot show them. */
    void addComputed(AggregateShape shape) {
        for (Member member : shape.members()) {
            String reason = member.location().whyUnknown();
            if (reason != null && count++ < MAX_LINES) {
                String name = member.name();
                shown.add(new MemberLine(
                        shown.size(),
                        0,
                        name == null ? "base " + member.type().spelling() : name,
                        member.type().spelling(),
                        null,
                        Format.size(member.type().byteSize()),
                        reason,
                        false,
                        false,
                        null,
                        name == null ? null : newPin(name),
                        null));
            }
        }
    }
}
