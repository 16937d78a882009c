package dev.offsetd.query.answer;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.Architecture;
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
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes members, also behind pointers, as expressions of a tracer: a line for each item, which starts with the item as an
 * identifier. All else is a comment.
 */
public final class TracerText {

    /** Longest array that tracefs fetches. */
    private static final int MAX_FETCHED = 64;

    /** Where functions take their first argument, by the names that kernels have for registers (regs_query_register_offset). */
    private static final Map<String, String> FIRST_ARGUMENT = Map.ofEntries(
            Map.entry("x86_64", "%di"),
            Map.entry("i386", "$stack1"),
            Map.entry("aarch64", "%x0"),
            Map.entry("arm", "%r0"),
            Map.entry("s390x", "%r2"),
            Map.entry("ppc64le", "%gpr3"),
            Map.entry("ppc64", "%gpr3"),
            Map.entry("ppc", "%gpr3"),
            Map.entry("riscv64", "%a0"),
            Map.entry("riscv32", "%a0"),
            Map.entry("loongarch64", "%r4"),
            Map.entry("mips64", "%r4"),
            Map.entry("mips64el", "%r4"),
            Map.entry("mipsel", "%r4"),
            Map.entry("mips", "%r4"));

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
    private final @Nullable Architecture machine;
    private final Set<String> names = new HashSet<>();

    private TracerText(Dialect dialect, @Nullable String base, @Nullable Architecture machine) {
        this.dialect = dialect;
        this.base = base;
        this.machine = machine;
    }

    /**
     * Returns the lines, without line ends.
     *
     * @param base the expression for the address of the variable or object, a {@linkplain #isBase valid} one; null for the
     *     first argument of a function, and for the variable itself
     * @param machine for which the build is made; null if that is not known
     */
    public static List<String> lines(
            List<ItemAnswer> answers, Dialect dialect, @Nullable String base, @Nullable Architecture machine) {
        TracerText text = new TracerText(dialect, base, machine);
        List<String> lines = new ArrayList<>();
        for (ItemAnswer answer : answers) {
            Deadline.checkCurrent();
            lines.add(text.line(answer));
        }
        return lines;
    }

    private String line(ItemAnswer answer) {
        String item = answer.item().alternatives().getFirst().text();
        return switch (answer.outcome()) {
            case ItemOutcome.PathFound path -> line(item, argument(), path);
            case ItemOutcome.PlanFound plan -> line(item, argument(), plan);
            case ItemOutcome.VariableFound found
            when base != null && found.problem() == null -> line(item, base, found.part());
            case ItemOutcome.VariableFound found when found.address().isPresent() -> variable(item, found);
            case ItemOutcome.TypeFound type ->
                comment(item + ": a type has no expression"
                        + type.fields().keySet().stream()
                                .findFirst()
                                .map(member -> "; name a member, such as " + item + "." + member)
                                .orElse(""));
            case ItemOutcome.EnumeratorFound _ -> comment(item + ": an enumerator has no address");
            default ->
                String.join(
                        " ",
                        LayoutText.remarks(answer).stream().map(this::commented).toList());
        };
    }

    /** Returns the expression for the first argument of a function, by the ABI of the machine; null if there is none. */
    private @Nullable String argument() {
        if (base != null) {
            return base;
        }
        if (dialect == Dialect.BPFTRACE) {
            return "arg0";
        }
        return machine == null ? null : FIRST_ARGUMENT.get(machine.machine());
    }

    /** Tracers cannot add the address at which a program is loaded, so only a name can lead to the variable. */
    private String variable(String item, ItemOutcome.VariableFound found) {
        if (dialect == Dialect.TRACEFS) {
            return line(item, null, found.part());
        }
        String obstacle = obstacle(found);
        // The address is a number, because adding to a pointer counts in elements.
        return obstacle == null
                ? line(item, "(uint64)uaddr(\"" + found.name() + "\")", found.part())
                : comment(item + ": " + obstacle + ": give its address as base");
    }

    /** Returns why bpftrace cannot name a variable; null if it can. */
    private static @Nullable String obstacle(ItemOutcome.VariableFound found) {
        String name = found.name();
        if (found.symbol() == null) {
            return "the variable has no symbol";
        }
        if (name == null) {
            return "several symbols have the name " + found.symbol().name();
        }
        return Comments.safe(name).equals(name) && !name.contains("\"")
                ? null
                : "bpftrace cannot write the name of the symbol";
    }

    private String line(String item, @Nullable String start, ItemOutcome part) {
        if (start == null) {
            return comment(item + ": the address of the object is not known here: give its base");
        }
        return switch (part) {
            case ItemOutcome.PathFound path -> line(item, start, List.of(), path.placement());
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                line(item, start, plan.pointers(), plan.target());
            default -> comment(item);
        };
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
            return comment(item + ": a " + (target.isBitField() ? "bit-field of type " : "")
                    + target.type().spelling()
                    + (isSwapped(target) || (target.isBitField() && isBigEndian())
                            ? " in " + order(target) + " byte order"
                            : "")
                    + ", which "
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
        if (isSwapped(target)) {
            return "";
        }
        if (target.isBitField()) {
            Container container = Container.of(target);
            return container == null || isBigEndian()
                    ? ""
                    : plus(container.offset()) + "(" + address + "):b" + target.bitSize() + "@"
                            + container.firstBit(target) + "/" + container.bits();
        }
        String type = fetchedType(target);
        return type.isEmpty() ? "" : plus(target.offset()) + "(" + address + "):" + type;
    }

    private static String fetchedType(Placement.Fixed target) {
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
        if (target.isBitField()) {
            Container container = Container.of(target);
            return container == null || isSwapped(target) ? "" : bits(address, target, container);
        }
        String at = sum(address, target.offset());
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

    private String bits(String address, Placement.Fixed target, Container container) {
        long first = container.firstBit(target);
        String bits = "(*(uint%d*)(%s) >> %d) & 0x%x"
                .formatted(
                        container.bits(),
                        sum(address, container.offset()),
                        isBigEndian() ? container.bits() - first - target.bitSize() : first,
                        -1L >>> (Long.SIZE - target.bitSize()));
        // A shift to the right is unsigned in bpftrace, so the sign is extended by arithmetic.
        return target.signed().orElse(false)
                ? "(int64)(((%s) ^ 0x%2$x) - 0x%2$x)".formatted(bits, 1L << (target.bitSize() - 1))
                : bits;
    }

    private boolean isBigEndian() {
        return machine != null && machine.byteOrder() == ByteOrder.BIG_ENDIAN;
    }

    private String order(Placement.Fixed target) {
        return isBigEndian() == isSwapped(target) ? "little-endian" : "big-endian";
    }

    private static boolean isSwapped(Placement.Fixed target) {
        return target.type().byteOrder() != null;
    }

    private static boolean isText(ArrayShape array) {
        return array.element().byteSize() == 1
                && array.element().peeled() instanceof BaseShape base
                && base.spelling().equals("char");
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

    /**
     * The integer from which a bit-field is read.
     *
     * @param offset bytes from the start of the object
     */
    private record Container(long offset, int bits) {

        /** Returns the smallest one that is aligned, or, for packed ones, that ends with the field; null if there is none. */
        static @Nullable Container of(Placement.Fixed field) {
            if (field.bitSize() == 0) {
                return null;
            }
            long last = field.bitOffset() + field.bitSize() - 1;
            for (int bits = Byte.SIZE; bits <= Long.SIZE; bits *= 2) {
                long index = Math.floorDiv(field.bitOffset(), bits);
                if (index == Math.floorDiv(last, bits)) {
                    return new Container(index * (bits / Byte.SIZE), bits);
                }
            }
            long offset = Math.floorDiv(last, Byte.SIZE) + 1 - Long.BYTES;
            return offset >= 0 && offset <= field.offset() ? new Container(offset, Long.SIZE) : null;
        }

        long firstBit(Placement.Fixed field) {
            return field.bitOffset() - offset * Byte.SIZE;
        }
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
