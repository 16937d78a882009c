package dev.offsetd.server.admin.diff;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.diff.EnumeratorChange;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.MemberChange;
import dev.offsetd.query.diff.MemberLayout;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import dev.offsetd.server.admin.Badge;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.map.MemoryMap;
import dev.offsetd.server.admin.map.Pieces;
import dev.offsetd.server.answers.types.LayoutComparison;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rows of the comparison of two builds, in which unchanged members keep their place between the changed ones. */
final class Differences {

    /** Rows of a part with those of its memory maps; a few more, because the maps of a type are not divided. */
    private static final int MAX_ROWS = 200;

    private static final Comparator<MemberRow> BY_OFFSET =
            Comparator.comparing(MemberRow::bitOffset, Comparator.nullsLast(Comparator.naturalOrder()));

    private final LayoutComparison.ComparedBuilds sides;
    private final boolean only;
    private int room = MAX_ROWS;

    private Differences(LayoutComparison.ComparedBuilds sides, boolean only) {
        this.sides = sides;
        this.only = only;
    }

    /**
     * A part of the comparison, which the thread of the request renders in a few milliseconds.
     *
     * @param types items that differ or cannot be compared
     * @param same names of items that do not differ, in the first part
     * @param at number of rows before this part
     * @param next number of rows before the next part; null for the last part
     */
    record Comparison(
            List<TypeComparison> types,
            List<String> same,
            int at,
            @Nullable Integer next) {}

    /** The status of a type, with a character for it. */
    record ChangeBadge(String sign, Badge badge) {}

    /**
     * An item, or a type that an item holds by value.
     *
     * @param left kind and size in the first build; empty if it is missing there
     * @param detail why it cannot be compared; null if it was compared
     * @param continued whether the part before this one has its first rows
     * @param maps null unless a struct, union or class of both builds differs; with the first rows
     */
    record TypeComparison(
            String name,
            ChangeBadge status,
            String left,
            String right,
            @Nullable String detail,
            List<MemberRow> rows,
            boolean continued,
            @Nullable Maps maps) {}

    /**
     * Memory maps of a type in both builds.
     *
     * @param marks what changed in members, by path
     */
    record Maps(MemoryMap left, MemoryMap right, Map<String, String> marks) {}

    /**
     * A member or an enumerator.
     *
     * @param sign a character for the change
     * @param change what changed, or "same"
     * @param style class of the row
     * @param bitOffset of the member in the second build; null if it is computed, missing, or an enumerator
     */
    record MemberRow(
            String name,
            String sign,
            String change,
            String style,
            Cell left,
            Cell right,
            @Nullable Long bitOffset) {}

    /**
     * A member in one build; all empty if it is missing there.
     *
     * @param offset in bytes, with the bit of a bit-field; the value of an enumerator
     * @param pinned the extracted value of a pinned member; null if it is not pinned
     */
    record Cell(
            String offset,
            String size,
            String type,
            @Nullable String pinned) {

        static final Cell NOTHING = new Cell("", "", "", null);
    }

    /**
     * Compares items and the types they hold by value.
     *
     * @param only whether to omit unchanged members
     * @param at number of rows to pass over
     */
    static Comparison of(List<Item> items, LayoutComparison.ComparedBuilds sides, boolean only, int at) {
        List<String> same = new ArrayList<>();
        List<TypeDiff> others = new ArrayList<>();
        for (TypeDiff diff :
                LayoutDiff.ofItems(items, sides.from().types(), sides.to().types(), null)) {
            if (diff.status() != TypeDiff.Status.SAME) {
                others.add(diff);
            } else if (at == 0) {
                same.add(diff.name());
            }
        }
        return new Differences(sides, only).part(others, same, at);
    }

    /** @param at number of rows to pass over; a type without rows counts as one */
    private Comparison part(List<TypeDiff> diffs, List<String> same, int at) {
        List<TypeComparison> types = new ArrayList<>();
        int before = 0;
        for (TypeDiff diff : diffs) {
            if (room <= 0) {
                return new Comparison(types, same, at, before);
            }
            List<MemberRow> rows = rows(diff);
            int end = before + Math.max(1, rows.size());
            if (end > at) {
                int first = Math.max(0, at - before);
                int last = Math.min(rows.size(), first + room);
                room -= Math.max(1, last - first);
                types.add(type(diff, rows.subList(first, last), first > 0));
                if (last < rows.size()) {
                    return new Comparison(types, same, at, before + last);
                }
            }
            before = end;
        }
        return new Comparison(types, same, at, null);
    }

    private List<MemberRow> rows(TypeDiff diff) {
        return diff.enumerators().isEmpty()
                ? members(diff)
                : diff.enumerators().stream().map(Differences::row).toList();
    }

    private TypeComparison type(TypeDiff diff, List<MemberRow> shown, boolean continued) {
        return new TypeComparison(
                diff.name(),
                badge(diff.status()),
                side(diff.from()),
                side(diff.to()),
                diff.detail(),
                // Not a view, which would keep all rows while the page is rendered.
                List.copyOf(shown),
                continued,
                continued ? null : maps(diff));
    }

    private @Nullable Maps maps(TypeDiff diff) {
        MemoryMap left = drawing(diff.from(), sides.from());
        MemoryMap right = drawing(diff.to(), sides.to());
        if (left == null || right == null) {
            return null;
        }
        room -= left.lines().size() + right.lines().size();
        Map<String, String> marks = new HashMap<>();
        diff.members().forEach(change -> marks.put(change.name(), words(change)));
        return new Maps(left, right, marks);
    }

    private static @Nullable MemoryMap drawing(TypeDiff.@Nullable TypeSide side, LayoutComparison.ComparedBuild build) {
        return side != null
                        && side.definition() != null
                        && side.definition().shape().peeled() instanceof AggregateShape shape
                ? MemoryMap.of(
                        Pieces.of(shape, Set.of(), build.pinned()),
                        Math.max(0, shape.byteSize()),
                        Long.BYTES,
                        0,
                        build.file() == null
                                ? ByteOrder.LITTLE_ENDIAN
                                : build.file().architecture().byteOrder())
                : null;
    }

    private static String words(MemberChange change) {
        return change.kinds().stream().map(MemberChange.Kind::word).collect(Collectors.joining(", "));
    }

    static ChangeBadge badge(TypeDiff.Status status) {
        return switch (status) {
            case SAME -> badge("=", Badge.Tone.QUIET, status);
            case CHANGED -> badge("≠", Badge.Tone.WARN, status);
            case ADDED -> badge("+", Badge.Tone.OK, status);
            case REMOVED -> badge("−", Badge.Tone.BAD, status);
            case NOT_FOUND -> badge("?", Badge.Tone.WARN, status);
            case NOT_COMPARABLE -> badge("?", Badge.Tone.INFO, status);
        };
    }

    private static ChangeBadge badge(String sign, Badge.Tone tone, TypeDiff.Status status) {
        return new ChangeBadge(sign, new Badge(tone, Format.words(status.word())));
    }

    static String side(TypeDiff.@Nullable TypeSide side) {
        if (side == null) {
            return "";
        }
        MemberLayout place = side.place();
        return place == null
                ? side.kind() + ", " + Format.sizeInWords(side.size())
                : "at " + where(place) + ", " + size(place) + ", " + place.type();
    }

    /** Returns rows of members in the order of the first build; added ones follow their new offset. */
    private List<MemberRow> members(TypeDiff diff) {
        Map<String, MemberLayout> left =
                only ? Map.of() : fields(diff.name(), sides.from().types());
        Map<String, MemberChange> open = new HashMap<>();
        diff.members().forEach(change -> open.put(change.name(), change));
        List<MemberRow> rows = new ArrayList<>();
        left.forEach((name, place) -> {
            MemberChange change = open.remove(name);
            rows.add(change == null ? same(name, place) : row(change));
        });
        // Base classes are not fields. With only differences shown, no change is.
        List<MemberRow> fresh = new ArrayList<>();
        for (MemberChange change : diff.members()) {
            if (open.containsKey(change.name())) {
                MemberRow row = row(change);
                fresh.add(row);
                if (row.bitOffset() == null) {
                    insert(rows, fresh);
                    fresh.clear();
                }
            }
        }
        insert(rows, fresh);
        return rows;
    }

    private MemberRow same(String name, MemberLayout place) {
        Cell cell = cell(place, sides.from().pinned());
        return new MemberRow(name, "=", "same", "diff-same", cell, cell, place.bitOffset());
    }

    /**
     * Inserts rows before those of greater offsets at the end. No row passes one without an offset, so that one comes last.
     *
     * @param fresh in any order, but for a last one without an offset
     */
    static void insert(List<MemberRow> rows, List<MemberRow> fresh) {
        List<MemberRow> fromEnd = new ArrayList<>();
        List<MemberRow> sorted = fresh.stream().sorted(BY_OFFSET).toList();
        for (MemberRow next : sorted.reversed()) {
            while (!rows.isEmpty() && isGreater(rows.getLast().bitOffset(), next.bitOffset())) {
                fromEnd.add(rows.removeLast());
            }
            fromEnd.add(next);
        }
        rows.addAll(fromEnd.reversed());
    }

    private static boolean isGreater(@Nullable Long offset, @Nullable Long other) {
        return offset != null && other != null && offset > other;
    }

    /** Returns the placements of the fields of a type; none unless the name stands for one struct. */
    private static Map<String, MemberLayout> fields(String name, TypeIndex types) {
        Item item;
        try {
            // Types held by value come by their names, which need not be valid items.
            item = ItemParser.parse(name);
        } catch (ItemSyntaxException e) {
            return Map.of();
        }
        if (!item.needsTypes()
                || !(ItemResolver.resolve(item, types, null).outcome() instanceof ItemOutcome.TypeFound type)) {
            return Map.of();
        }
        Map<String, MemberLayout> fields = new LinkedHashMap<>();
        type.fields().forEach((field, placements) -> {
            if (placements.size() == 1) {
                fields.put(field, MemberLayout.of(placements.getFirst()));
            }
        });
        return fields;
    }

    private static String told(Provenance provenance) {
        return provenance.extracted() instanceof AppliedPin.Extent.OfMember extracted
                ? "extracted: offset " + Format.count(Math.floorDiv(extracted.bitOffset(), Byte.SIZE))
                : "not in the debug information";
    }

    /** Returns the processor of a build; empty if it has only pins. */
    static String machine(LayoutComparison.ComparedBuild side) {
        return side.file() == null ? "" : side.file().architecture().machine();
    }

    private MemberRow row(MemberChange change) {
        MemberLayout to = change.to();
        return row(
                change.name(),
                words(change),
                cell(change.from(), sides.from().pinned()),
                cell(to, sides.to().pinned()),
                to == null ? null : to.bitOffset());
    }

    private static MemberRow row(EnumeratorChange change) {
        String from = change.from();
        String to = change.to();
        return row(
                change.name(),
                from == null ? "added" : to == null ? "removed" : "changed",
                from == null ? Cell.NOTHING : new Cell(from, "", "", null),
                to == null ? Cell.NOTHING : new Cell(to, "", "", null),
                null);
    }

    private static MemberRow row(String name, String change, Cell from, Cell to, @Nullable Long bitOffset) {
        if (from.equals(Cell.NOTHING)) {
            return new MemberRow(name, "+", change, "is-new", from, to, bitOffset);
        }
        return to.equals(Cell.NOTHING)
                ? new MemberRow(name, "−", change, "is-gone", from, to, bitOffset)
                : new MemberRow(name, "≠", change, "is-changed", from, to, bitOffset);
    }

    private static Cell cell(@Nullable MemberLayout place, PinnedTypes pins) {
        if (place == null) {
            return Cell.NOTHING;
        }
        Provenance provenance = place.placement() == null ? null : pins.of(place.placement());
        return new Cell(where(place), size(place), place.type(), provenance == null ? null : told(provenance));
    }

    /** Returns the offset in bytes, with the bit of a bit-field. */
    private static String where(MemberLayout place) {
        Long bits = place.bitOffset();
        if (bits == null) {
            return "computed";
        }
        long offset = Math.floorDiv(bits, Byte.SIZE);
        String bytes = Format.count(offset);
        return place.isBitField() ? bytes + " bit " + Math.floorMod(bits, Byte.SIZE) : bytes;
    }

    private static String size(MemberLayout place) {
        return place.isBitField() ? Format.count(place.bitSize(), "bit") : Format.sizeInWords(place.size());
    }
}
