package dev.offsetd.query.answer;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.MemberTree;
import dev.offsetd.query.item.MemberTree.Entry;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.overlay.Provenance;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Writes answers like pahole: C, with the offset and size of each member in bytes, and comments for holes and cache line
 * boundaries. A bit-field has the offset of its storage unit and the bits from there, in memory order. Unnamed structs and
 * unions are shown inline.
 */
public final class LayoutText {

    /** Bytes of a cache line on most machines. */
    static final long CACHE_LINE = 64;

    private static final int INDENT = 8;
    private static final int TYPE_WIDTH = 26;
    private static final int NAME_WIDTH = 21;

    private final PinnedTypes pins;
    private final int expandedLevels;
    private final MemberTree trees;
    private final List<String> lines = new ArrayList<>();
    private long cacheLine;

    private LayoutText(PinnedTypes pins, int expandedLevels) {
        this.pins = pins;
        this.expandedLevels = expandedLevels;
        this.trees = new MemberTree(expandedLevels);
    }

    /**
     * Returns the lines of the text, without line ends; an empty one between two answers.
     *
     * @param pins the types that the answers are from
     */
    public static List<String> lines(List<ItemAnswer> answers, PinnedTypes pins) {
        return lines(answers, pins, 0);
    }

    /**
     * Returns the lines of the text with nested structs in place of their names, as {@code pahole -E} prints them.
     *
     * @param expandedLevels how many levels of nested structs to expand
     */
    public static List<String> lines(List<ItemAnswer> answers, int expandedLevels) {
        return lines(answers, PinnedTypes.NONE, expandedLevels);
    }

    private static List<String> lines(List<ItemAnswer> answers, PinnedTypes pins, int expandedLevels) {
        LayoutText text = new LayoutText(pins, expandedLevels);
        for (ItemAnswer answer : answers) {
            Deadline.checkCurrent();
            if (!text.lines.isEmpty()) {
                text.lines.add("");
            }
            text.answer(answer);
        }
        return List.copyOf(text.lines);
    }

    private void answer(ItemAnswer answer) {
        String name = answer.item().text();
        if (answer.incomplete()) {
            lines.add(Comments.comment(name + ": what was left out of the build may change this"));
        }
        switch (answer.outcome()) {
            case ItemOutcome.TypeFound type -> type(name, type);
            case ItemOutcome.PathFound path -> place(name, "", path.placement());
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) -> place(name, way(plan), plan.target());
            case ItemOutcome.VariableFound found
            when found.problem() == null -> {
                lines.addAll(remarks(answer));
                switch (found.part()) {
                    case ItemOutcome.PathFound path -> place(name, "", path.placement());
                    case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) -> place(name, way(plan), plan.target());
                    default -> {}
                }
            }
            case ItemOutcome.EnumeratorFound found ->
                lines.add("%s = %s;"
                        .formatted(
                                Comments.safe(name),
                                found.found()
                                        .shape()
                                        .text(found.found().enumerator())
                                        .orElseThrow()));
            default -> lines.addAll(remarks(answer));
        }
    }

    /** Adds a line for a member. */
    private void place(String name, String way, Placement.Fixed place) {
        Declarator declarator = Declarator.of(place.type());
        lines.add(row(
                0,
                declarator.before(),
                Comments.safe(declarator.prefix() + name) + Comments.safe(declarator.behind())
                        + bitSize(place.bitSize()) + ";",
                way + numbers(place.bitOffset(), place, 0) + byteOrder(place.type()) + remark(pins.of(place))));
    }

    /** Returns the pointers that a plan follows: {@code /* 16 -> *}{@code /}. */
    private String way(ReadPlan plan) {
        StringBuilder way = new StringBuilder("/*");
        for (Placement.Fixed pointer : plan.pointers()) {
            way.append(' ').append(pointer.offset()).append(" ->");
            Provenance pinned = pins.of(pointer);
            way.append(pinned == null ? "" : " (" + Comments.safe(pinned.remark()) + ")");
        }
        return way.append(" */ ").toString();
    }

    private static String share(Coverage.Share share) {
        return share.found() + " of " + share.of();
    }

    /** Returns comments for an item without a layout. */
    static List<String> remarks(ItemAnswer answer) {
        ItemOutcome outcome = answer.outcome();
        StringJoiner said = new StringJoiner(", ");
        said.add(answer.item().text() + ": " + outcome.status().word());
        List<String> all = new ArrayList<>();
        switch (outcome) {
            case ItemOutcome.Missed missed -> {
                if (missed.detail() != null) {
                    said.add(missed.detail());
                }
            }
            case ItemOutcome.Computed computed -> said.add(computed.at() + " is a " + computed.reason());
            case ItemOutcome.CrossesPointer crosses -> {
                said.add(crosses.at() + " is a pointer");
                if (crosses.pointee() != null) {
                    said.add("go on with " + crosses.pointee());
                }
            }
            case ItemOutcome.Ambiguous ambiguous -> said.add(ambiguous.total() + " definitions differ");
            case ItemOutcome.StaticFound found -> {
                said.add(
                        found.variable().linkageName() == null
                                ? "static"
                                : "static, symbol " + found.variable().linkageName());
                if (found.variable().address() != null) {
                    said.add("0x" + Long.toHexString(found.variable().address()));
                }
            }
            case ItemOutcome.VariableFound found -> {
                said.add("variable "
                        + (found.symbol() == null
                                ? found.variable().qualifiedName()
                                : found.symbol().name()));
                found.address().ifPresent(address -> said.add("0x" + Long.toHexString(address)));
                if (found.symbol() != null) {
                    said.add(found.symbol().section().name());
                }
                if (found.isThreadLocal()) {
                    said.add("offset in the block of thread-local variables");
                }
                String problem = found.problem();
                if (problem != null) {
                    said.add(problem);
                }
            }
            case ItemOutcome.SymbolsFound symbols ->
                said.add(symbols.total() + (symbols.total() == 1 ? " symbol" : " symbols"));
            case ItemOutcome.TlsFound(TlsSegment tls) ->
                said.add("%s bytes, alignment %s"
                        .formatted(Long.toUnsignedString(tls.memorySize()), Long.toUnsignedString(tls.alignment())));
            case ItemOutcome.SetFound(String _, int version, Coverage coverage) ->
                said.add("version %d, required %s, optional %s"
                        .formatted(version, share(coverage.required()), share(coverage.optional())));
            case ItemOutcome.TypeFound _,
                    ItemOutcome.PathFound _,
                    ItemOutcome.PlanFound _,
                    ItemOutcome.EnumeratorFound _ -> {}
        }
        if (!answer.suggestions().isEmpty()) {
            said.add(Suggestions.sentence(answer.suggestions()));
        }
        all.add(Comments.comment(said.toString()));
        if (outcome instanceof ItemOutcome.SymbolsFound symbols) {
            for (Symbol symbol : symbols.symbols()) {
                all.add(Comments.comment("  %s %s bytes, %s, %s: %s"
                        .formatted(
                                symbol.isImported() ? "imported" : "0x" + Long.toHexString(symbol.value()),
                                Long.toUnsignedString(symbol.size()),
                                symbol.type().word(),
                                symbol.binding(),
                                symbol.versionedName())));
            }
        }
        if (outcome instanceof ItemOutcome.Ambiguous ambiguous) {
            ambiguous.variants().forEach(variant -> all.add(remark(variant.definition())));
        }
        return all;
    }

    private static String remark(Definition definition) {
        return Comments.comment("  " + definition.kind().word() + " " + definition.qualifiedName() + ", "
                + size(definition.shape().byteSize()) + ", " + definition.unit() + ", "
                + definition.language().name());
    }

    private void type(String name, ItemOutcome.TypeFound type) {
        Definition definition = type.definition();
        TypeShape shape = definition.shape();
        String typedef = type.viaTypedef() ? " " + Comments.safe(definition.name()) : "";
        switch (shape.peeled()) {
            case AggregateShape aggregate -> {
                cacheLine = 0;
                String tag = aggregate.name() == null || type.viaTypedef() ? "" : " " + definition.qualifiedName();
                String head = aggregate.name() != null && type.viaTypedef() ? " " + aggregate.name() : tag;
                List<Entry> entries = trees.entries(aggregate);
                lines.add((typedef.isEmpty() ? "" : "typedef ")
                        + aggregate.kind().word()
                        + Comments.safe(head)
                        + bases(entries)
                        + " {");
                members(entries, 1, Placement.Fixed.start(aggregate));
                summary(aggregate, entries);
                pinned(definition);
                lines.add("}" + typedef + ";");
            }
            case EnumShape enumeration -> {
                String tag = typedef.isEmpty() ? definition.qualifiedName() : enumeration.name();
                lines.add((typedef.isEmpty() ? "enum" : "typedef enum")
                        + (tag == null || tag.isEmpty() ? "" : " " + Comments.safe(tag)) + " {");
                for (Enumerator enumerator : enumeration.enumerators()) {
                    Deadline.checkCurrent(lines.size());
                    lines.add(" ".repeat(INDENT)
                            + enumeration
                                    .text(enumerator)
                                    .map(value -> Comments.safe(enumerator.name()) + " = " + value + ",")
                                    .orElseGet(() -> tooWide(enumerator.name())));
                }
                lines.add("");
                lines.add(" ".repeat(INDENT) + "/* size: " + number(shape.byteSize()) + " */");
                pinned(definition);
                lines.add("}" + typedef + ";");
            }
            default -> {
                if (shape instanceof AliasShape alias) {
                    Declarator target = Declarator.of(alias.target());
                    lines.add("typedef %s %s%s%s; /* %s */%s"
                            .formatted(
                                    target.before(),
                                    Comments.safe(target.prefix()),
                                    Comments.safe(definition.name()),
                                    Comments.safe(target.behind()),
                                    size(shape.byteSize()),
                                    remark(pins.of(definition))));
                } else {
                    lines.add("%s; /* %s */%s"
                            .formatted(Comments.safe(name), size(shape.byteSize()), remark(pins.of(definition))));
                }
            }
        }
    }

    private void pinned(Definition definition) {
        Provenance provenance = pins.of(definition);
        if (provenance != null) {
            lines.add(" ".repeat(INDENT) + remark(provenance).strip());
        }
    }

    /** Returns the comment behind a pinned value; empty for null. */
    static String remark(@Nullable Provenance provenance) {
        return provenance == null ? "" : " " + Comments.comment(provenance.remark());
    }

    /** Returns the comment behind a scalar that has not the byte order of the build; empty for any other type. */
    static String byteOrder(TypeShape type) {
        ByteOrder order = type.byteOrder();
        return order == null ? "" : order == ByteOrder.BIG_ENDIAN ? " /* big-endian */" : " /* little-endian */";
    }

    private static String bases(List<Entry> entries) {
        StringJoiner bases = new StringJoiner(", ", " : ", "").setEmptyValue("");
        for (Entry entry : entries) {
            if (entry instanceof Entry.MemberEntry part && part.member().role() == Member.Role.BASE_CLASS) {
                bases.add((part.placement() instanceof Placement.Computed ? "virtual " : "")
                        + Comments.safe(part.member().type().spelling()));
            }
        }
        return bases.toString();
    }

    /** @param within the placement that those in {@code split} are counted from */
    private void members(List<Entry> split, int depth, Placement.Fixed within) {
        List<Entry> entries = LayoutSummary.joined(split);
        long end = LayoutSummary.end(entries);
        for (Entry entry : entries) {
            Deadline.checkCurrent(lines.size());
            switch (entry) {
                case Entry.Padding padding -> {
                    if (padding.bitOffset() < end) {
                        lines.add(" ".repeat(INDENT * depth) + "/* XXX " + hole(padding) + " hole */");
                    }
                }
                case Entry.MemberEntry part -> part(part, depth, within);
            }
        }
    }

    private void part(Entry.MemberEntry part, int depth, Placement.Fixed within) {
        Member member = part.member();
        long shift = within.bitOffset();
        if (part.placement() instanceof Placement.Fixed fixed) {
            boundary(Math.floorDiv(fixed.bitOffset() + shift, Byte.SIZE), depth);
        }
        String numbers = switch (part.placement()) {
            case Placement.Fixed fixed ->
                numbers(fixed.bitOffset() + shift, fixed, shift)
                        + byteOrder(fixed.type())
                        + remark(pins.of(fixed.through(within)));
            case Placement.Computed computed ->
                Comments.comment(computed.status().word() + ": " + computed.reason());
        };
        if (member.role() == Member.Role.BASE_CLASS) {
            lines.add(row(depth, "/* base", Comments.safe(member.type().spelling()) + " */", numbers));
            return;
        }
        AggregateShape element = member.type().innermost() instanceof AggregateShape aggregate ? aggregate : null;
        boolean open = element != null
                && (isUnnamed(element, member.type())
                        || (expandedLevels > 0 && !part.nested().isEmpty()));
        AggregateShape inner = open ? element : null;
        List<Entry> inside = inner == null ? List.of() : inside(inner, part.nested());
        if (inside.isEmpty() && inner != null && !inner.members().isEmpty()) {
            inner = null;
        }
        String unsaid = member.role() == Member.Role.DISCRIMINANT ? "/* discriminant */" : "";
        String name = member.name() == null ? unsaid : Comments.safe(member.name());
        Declarator declarator = Declarator.of(member.type());
        if (inner != null && part.placement() instanceof Placement.Fixed fixed) {
            String tag = inner.name() == null ? "" : " " + Comments.safe(inner.name());
            lines.add(" ".repeat(INDENT * depth) + inner.kind().word() + tag + " {"
                    + (inner.isVariantPart() ? " /* variants */" : ""));
            members(inside, depth + 1, part.nested().isEmpty() ? fixed.through(within) : within);
            String closing = "}" + (name.isEmpty() ? "" : " " + name) + Comments.safe(declarator.behind()) + ";";
            lines.add(padded(" ".repeat(INDENT * depth) + closing, INDENT + TYPE_WIDTH + NAME_WIDTH + 1) + numbers);
            return;
        }
        lines.add(row(
                depth,
                declarator.before(),
                Comments.safe(declarator.prefix()) + name + Comments.safe(declarator.behind())
                        + bitSize(member.bitSize()) + ";",
                numbers));
    }

    /**
     * Returns what to show inside a struct, union or class; empty if that would be too much.
     *
     * @param nested what the tree has of it already
     */
    private List<Entry> inside(AggregateShape shape, List<Entry> nested) {
        return nested.isEmpty() ? trees.expanded(shape) : nested;
    }

    /** Returns whether a struct or union has neither a name nor a typedef. */
    private static boolean isUnnamed(AggregateShape aggregate, TypeShape type) {
        return aggregate.name() == null
                && (aggregate.isVariantPart() || type.spelling().contains("{...}"));
    }

    private void boundary(long offset, int depth) {
        long line = Math.floorDiv(offset, CACHE_LINE);
        if (line > cacheLine) {
            long past = offset - line * CACHE_LINE;
            lines.add("%s/* --- cacheline %d boundary (%d bytes)%s --- */"
                    .formatted(
                            " ".repeat(INDENT * depth),
                            line,
                            line * CACHE_LINE,
                            past == 0 ? "" : ", " + plural(past, "byte") + " back"));
            cacheLine = line;
        }
    }

    private void summary(AggregateShape aggregate, List<Entry> entries) {
        LayoutSummary sums = LayoutSummary.of(aggregate, entries);
        List<String> said = new ArrayList<>();
        boolean known = aggregate.byteSize() != TypeShape.UNKNOWN_SIZE;
        said.add("size: %s, cachelines: %s, members: %d"
                .formatted(
                        number(aggregate.byteSize()), known ? Long.toString(sums.cacheLines()) : "?", sums.members()));
        if (aggregate.alignment() > 0) {
            said.add("alignment: " + aggregate.alignment());
        }
        if (sums.holes() > 0) {
            said.add("sum members: %d, holes: %d, sum holes: %d"
                    .formatted(sums.sumMembers(), sums.holes(), sums.sumHoles()));
        }
        if (sums.sumBitFieldBits() > 0) {
            said.add("sum bitfield members: %s%s"
                    .formatted(
                            plural(sums.sumBitFieldBits(), "bit"),
                            sums.bitHoles() == 0
                                    ? ""
                                    : ", bit holes: %d, sum bit holes: %s"
                                            .formatted(sums.bitHoles(), plural(sums.sumBitHoles(), "bit"))));
        }
        if (sums.padding() > 0) {
            said.add("padding: " + sums.padding());
        }
        if (sums.bitPadding() > 0) {
            said.add("bit_padding: " + plural(sums.bitPadding(), "bit"));
        }
        if (aggregate.byteSize() > 0 && aggregate.byteSize() % CACHE_LINE != 0) {
            said.add("last cacheline: " + plural(aggregate.byteSize() % CACHE_LINE, "byte"));
        }
        lines.add("");
        said.forEach(line -> lines.add(" ".repeat(INDENT) + "/* " + line + " */"));
    }

    private static String hole(Entry.Padding padding) {
        return padding.isWholeBytes()
                ? plural(padding.bitSize() / Byte.SIZE, "byte")
                : plural(padding.bitSize(), "bit");
    }

    private static String row(int depth, String type, String name, String numbers) {
        String indent = " ".repeat(INDENT * depth);
        int width = Math.max(TYPE_WIDTH - INDENT * Math.max(depth - 1, 0), 8);
        String declaration = name.equals(";") ? type + ";" : padded(type, width + 1) + name;
        return padded(indent + declaration, INDENT + TYPE_WIDTH + NAME_WIDTH + 1) + numbers;
    }

    private static String padded(String text, int width) {
        return text.length() < width ? text + " ".repeat(width - text.length()) : text + " ";
    }

    private static String bitSize(int bits) {
        return bits == Member.NOT_A_BIT_FIELD ? "" : ":" + bits;
    }

    private static String numbers(long bitOffset, Placement.Fixed place, long shift) {
        if (!place.isBitField()) {
            return "/* %5d %5s */".formatted(Math.floorDiv(bitOffset, Byte.SIZE), number(place.size()));
        }
        long storage = Math.max(place.storageBytes(), 1);
        // Storage units are aligned within the struct that has the bit-field, not within outer ones.
        long unit = Math.floorDiv(bitOffset - shift, storage * Byte.SIZE) * storage + shift / Byte.SIZE;
        return "/* %5d:%2d %2d */".formatted(unit, bitOffset - unit * Byte.SIZE, storage);
    }

    /** Returns the comment for an enumerator whose value is not known. */
    static String tooWide(String name) {
        return Comments.comment(name + ": its value needs more than 64 bits");
    }

    private static String size(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "size unknown" : plural(bytes, "byte");
    }

    private static String number(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "?" : Long.toString(bytes);
    }

    private static String plural(long count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }
}
