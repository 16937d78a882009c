package dev.offsetd.query.answer;

import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.diff.EnumeratorChange;
import dev.offsetd.query.diff.MemberChange;
import dev.offsetd.query.diff.MemberLayout;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Writes differences as text: a line for each type, and below it a line for each member, with {@code +} for added,
 * {@code -} for removed and {@code ~} for changed ones. Unchanged types are left out. Names are not escaped.
 */
public final class DiffText {

    private final PinnedTypes from;
    private final PinnedTypes to;

    private DiffText(PinnedTypes from, PinnedTypes to) {
        this.from = from;
        this.to = to;
    }

    /** Returns the lines of the text, without line ends. */
    public static List<String> lines(List<TypeDiff> diffs) {
        return lines(diffs, PinnedTypes.NONE, PinnedTypes.NONE);
    }

    /**
     * Returns the lines of the text, without line ends.
     *
     * @param from the types of the older build
     * @param to the types of the newer build
     */
    public static List<String> lines(List<TypeDiff> diffs, PinnedTypes from, PinnedTypes to) {
        return new DiffText(from, to).write(diffs);
    }

    private List<String> write(List<TypeDiff> diffs) {
        List<String> lines = new ArrayList<>();
        for (TypeDiff diff : diffs) {
            if (diff.status() == TypeDiff.Status.SAME) {
                continue;
            }
            lines.add(mark(diff.status()) + diff.name() + ": " + summary(diff));
            diff.members().forEach(member -> lines.add(line(member)));
            diff.enumerators().forEach(enumerator -> lines.add(line(enumerator)));
        }
        return List.copyOf(lines);
    }

    private static String mark(TypeDiff.Status status) {
        return switch (status) {
            case ADDED -> "+ ";
            case REMOVED -> "- ";
            case CHANGED -> "~ ";
            case SAME, NOT_FOUND, NOT_COMPARABLE -> "? ";
        };
    }

    private String summary(TypeDiff diff) {
        TypeDiff.TypeSide from = diff.from();
        TypeDiff.TypeSide to = diff.to();
        return switch (diff.status()) {
            case ADDED, REMOVED -> {
                TypeDiff.TypeSide there = from == null ? to : from;
                yield there == null
                        ? Objects.requireNonNullElse(diff.detail(), "")
                        : from == null ? describe(there, this.to) : describe(there, this.from);
            }
            case NOT_FOUND -> "not found on either side" + (diff.detail() == null ? "" : "; " + diff.detail());
            case NOT_COMPARABLE -> "cannot be compared: " + Objects.requireNonNullElse(diff.detail(), "");
            case SAME, CHANGED -> {
                if (from == null || to == null) {
                    yield "changed";
                }
                yield (from.kind().equals(to.kind()) ? to.kind() : from.kind() + " -> " + to.kind())
                        + ", "
                        + (from.size() == to.size()
                                ? bytes(to.size())
                                : number(from.size()) + " -> " + bytes(to.size()))
                        + (diff.detail() == null ? "" : " (" + diff.detail() + ")");
            }
        };
    }

    private static String describe(TypeDiff.TypeSide side, PinnedTypes pins) {
        MemberLayout place = side.place();
        return place == null
                ? side.kind() + ", " + bytes(side.size())
                : offset(place) + ", " + size(place) + ", " + place.type() + remark("", place, pins);
    }

    private static String remark(String when, MemberLayout place, PinnedTypes pins) {
        Provenance provenance = DiffWriter.provenance(place, pins);
        return provenance == null ? "" : " (" + provenance.remark() + when + ")";
    }

    private String line(MemberChange change) {
        MemberLayout from = change.from();
        MemberLayout to = change.to();
        if (from == null || to == null) {
            MemberLayout there = from == null ? to : from;
            return (from == null ? "  + " : "  - ") + change.name() + ": "
                    + (there == null
                            ? ""
                            : offset(there) + ", " + size(there) + ", " + there.type()
                                    + remark("", there, from == null ? this.to : this.from));
        }
        List<String> said = new ArrayList<>();
        for (MemberChange.Kind kind : change.kinds()) {
            said.add(
                    switch (kind) {
                        case MOVED -> offset(from) + " -> " + place(to);
                        case RESIZED -> size(from) + " -> " + size(to);
                        case RETYPED -> from.type() + " -> " + to.type();
                        case ADDED, REMOVED -> kind.word();
                    });
        }
        return "  ~ " + change.name() + ": " + String.join(", ", said) + remark(" before", from, this.from)
                + remark("", to, this.to);
    }

    private static String line(EnumeratorChange change) {
        if (change.from() == null) {
            return "  + " + change.name() + " = " + change.to();
        }
        if (change.to() == null) {
            return "  - " + change.name() + " = " + change.from();
        }
        return "  ~ " + change.name() + " = " + change.from() + " -> " + change.to();
    }

    private static String offset(MemberLayout place) {
        return (place.isBitField() ? "bit " : "offset ") + place(place);
    }

    private static String place(MemberLayout place) {
        Long bits = place.bitOffset();
        return bits == null ? "computed" : Long.toString(place.isBitField() ? bits : Math.floorDiv(bits, Byte.SIZE));
    }

    private static String size(MemberLayout place) {
        return place.isBitField() ? place.bitSize() + (place.bitSize() == 1 ? " bit" : " bits") : bytes(place.size());
    }

    private static String bytes(long size) {
        return size == TypeShape.UNKNOWN_SIZE ? "size unknown" : size + (size == 1 ? " byte" : " bytes");
    }

    private static String number(long size) {
        return size == TypeShape.UNKNOWN_SIZE ? "unknown" : Long.toString(size);
    }
}
