package dev.offsetd.query.answer;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes members, also behind pointers, as expressions of a tracer: a line for each item, which starts with the item as an
 * identifier. All else is a comment.
 */
public final class TracerText {

    /** Longest array that tracefs fetches. */
    private static final int MAX_FETCHED = 64;

    private static final Pattern BASE = Pattern.compile("[A-Za-z0-9_%$@+()-]{1,64}");

    public static final String EXPECTED_BASE = "expected a register, argument or address: %di, arg0 or 0x4010";

    /** Returns whether a text can be the base of expressions. */
    public static boolean isBase(String text) {
        return BASE.matcher(text).matches();
    }

    /** Language of the expressions. */
    public enum Dialect {
        /** Fetch arguments of uprobes: {@code +24(+16(%di)):u64} (Documentation/trace/uprobetracer.rst of Linux). */
        TRACEFS,
        /** Expressions of bpftrace. */
        BPFTRACE
    }

    private final Dialect dialect;
    private final @Nullable String base;
    private final ByteOrder byteOrder;
    private final Set<String> names = new HashSet<>();

    private TracerText(Dialect dialect, @Nullable String base, ByteOrder byteOrder) {
        this.dialect = dialect;
        this.base = base;
        this.byteOrder = byteOrder;
    }

    /**
     * Returns the lines, without line ends.
     *
     * @param base the expression for the address of the variable or object, a {@linkplain #isBase valid} one; null for the first argument of a function on
     *     x86-64, in bpftrace on any machine, and for the variable itself
     * @param byteOrder of the build
     */
    public static List<String> lines(
            List<ItemAnswer> answers, Dialect dialect, @Nullable String base, ByteOrder byteOrder) {
        TracerText text = new TracerText(dialect, base, byteOrder);
        List<String> lines = new ArrayList<>();
        for (ItemAnswer answer : answers) {
            lines.add(text.line(answer));
        }
        return lines;
    }

    private String line(ItemAnswer answer) {
        String item = answer.item().alternatives().getFirst().text();
        return switch (answer.outcome()) {
            case ItemOutcome.PathFound path -> line(item, argument(), List.of(), path.placement());
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                line(item, argument(), plan.pointers(), plan.target());
            case ItemOutcome.VariableFound found
            when found.address().isPresent() || (base != null && found.problem() == null) -> {
                String start = base == null ? variable(found) : base;
                yield start == null
                        ? comment(item + ": a variable, whose address in a process is not known: give its base")
                        : switch (found.part()) {
                            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                                line(item, start, plan.pointers(), plan.target());
                            case ItemOutcome.PathFound path -> line(item, start, List.of(), path.placement());
                            default -> comment(item);
                        };
            }
            default ->
                String.join(
                        " ",
                        LayoutText.remarks(answer).stream().map(this::commented).toList());
        };
    }

    private String argument() {
        return base != null ? base : dialect == Dialect.TRACEFS ? "%di" : "arg0";
    }

    private @Nullable String variable(ItemOutcome.VariableFound found) {
        return dialect == Dialect.TRACEFS
                ? null
                : "uaddr(\"" + Comments.safe(found.variable().symbolName()) + "\")";
    }

    private String line(String item, String start, List<Placement.Fixed> pointers, Placement.Fixed target) {
        String address = start;
        for (Placement.Fixed pointer : pointers) {
            address = dialect == Dialect.TRACEFS
                    ? plus(pointer.offset()) + "(" + address + ")"
                    : "*(uint" + ReadPlan.pointerSize(pointer) * Byte.SIZE + "*)(" + sum(address, pointer.offset())
                            + ")";
        }
        String value = dialect == Dialect.TRACEFS ? fetched(address, target) : expression(address, target);
        if (value.isEmpty()) {
            return comment(item + ": a " + target.type().spelling() + ", which "
                    + dialect.name().toLowerCase(Locale.ROOT) + " cannot read as one value");
        }
        String name = ConstantsHeader.identifier(item);
        for (int number = 2; !names.add(name); number++) {
            name = ConstantsHeader.identifier(item) + "_" + number;
        }
        return dialect == Dialect.TRACEFS ? name + "=" + value : "$" + name + " = " + value + ";";
    }

    /** Returns the argument of tracefs; empty if there is none for this type. */
    private String fetched(String address, Placement.Fixed target) {
        String type = fetchedType(target);
        return type.isEmpty() ? "" : plus(target.offset()) + "(" + address + "):" + type;
    }

    private String fetchedType(Placement.Fixed target) {
        if (isSwapped(target)) {
            return "";
        }
        if (target.isBitField()) {
            int container = container(target);
            return container == 0 || byteOrder == ByteOrder.BIG_ENDIAN
                    ? ""
                    : "b" + target.bitSize() + "@" + firstBit(target) + "/" + container;
        }
        TypeShape type = target.type().peeled();
        if (type instanceof ArrayShape array
                && array.indexing() == null
                && array.counts().size() == 1) {
            long count = array.counts().getFirst();
            String element = scalar(array.element(), "x");
            return isText(array)
                    ? "string"
                    : element.isEmpty() || count < 1 || count > MAX_FETCHED ? "" : element + "[" + count + "]";
        }
        return scalar(type, "x");
    }

    /** Returns the expression of bpftrace; empty if the size is not known. */
    private String expression(String address, Placement.Fixed target) {
        String at = sum(address, target.offset());
        if (target.isBitField()) {
            int container = container(target);
            return container == 0 || isSwapped(target)
                    ? ""
                    : "(*(uint%d*)(%s) >> %d) & 0x%x"
                            .formatted(
                                    container,
                                    at,
                                    byteOrder == ByteOrder.BIG_ENDIAN
                                            ? container - firstBit(target) - target.bitSize()
                                            : firstBit(target),
                                    -1L >>> (Long.SIZE - target.bitSize()));
        }
        TypeShape type = target.type().peeled();
        String scalar =
                isSwapped(target) ? "" : scalar(type, "u").replace("u", "uint").replace("s", "int");
        if (!scalar.isEmpty()) {
            return "*(" + scalar + "*)(" + at + ")";
        }
        if (target.size() <= 0) {
            return "";
        }
        return (type instanceof ArrayShape array && isText(array) ? "str(" : "buf(") + at + ", " + target.size() + ")";
    }

    private static boolean isSwapped(Placement.Fixed target) {
        return target.type().byteOrder() != null;
    }

    private static boolean isText(ArrayShape array) {
        return array.element().byteSize() == 1
                && array.element().peeled() instanceof BaseShape base
                && base.spelling().contains("char");
    }

    /** Returns the type of a scalar that machines read at once ({@code u64}, {@code s32}); empty for any other type. */
    private static String scalar(TypeShape type, String pointer) {
        long bits = type.byteSize() * Byte.SIZE;
        if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
            return "";
        }
        if (type.peeled() instanceof PointerShape) {
            return pointer + bits;
        }
        if (type.peeled() instanceof BaseShape base && base.encoding() == BaseShape.Encoding.FLOATING) {
            return pointer + bits;
        }
        return Placement.signed(type).map(signed -> (signed ? "s" : "u") + bits).orElse("");
    }

    private static long firstBit(Placement.Fixed target) {
        return target.bitOffset() - target.offset() * Byte.SIZE;
    }

    /** Returns the bits of an integer that holds a bit-field; 0 if none does. */
    private static int container(Placement.Fixed target) {
        long bytes = Long.highestOneBit(Math.max(1, 2 * target.size() - 1));
        return bytes > Long.BYTES || target.bitSize() == 0 ? 0 : (int) bytes * Byte.SIZE;
    }

    private static String plus(long offset) {
        return (offset < 0 ? "" : "+") + offset;
    }

    private static String sum(String address, long offset) {
        return offset == 0 ? address : address + (offset < 0 ? " - " + -offset : " + " + offset);
    }

    private String comment(String text) {
        return commented(Comments.comment(text));
    }

    /** Returns a comment of C as one of the dialect. */
    private String commented(String comment) {
        return dialect == Dialect.BPFTRACE
                ? comment
                : "# " + comment.substring(3, comment.length() - 3).strip();
    }
}
