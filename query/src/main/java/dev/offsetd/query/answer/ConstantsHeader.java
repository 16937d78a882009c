package dev.offsetd.query.answer;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.ReadPlan;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.typeset.MapValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Writes answers as a C header with a macro for each offset, size and address. Offsets and sizes are bytes from the start of
 * the item's outermost type, {@code _BIT_OFFSET} and {@code _BIT_SIZE} of a bit-field are bits in memory order. Items that were
 * not found are comments, never numbers.
 *
 * <p>The name of a macro is the item with {@code _} for characters that identifiers cannot have, followed by the kind of
 * value. If two items collide, the later one gets a number: {@code a_b_OFFSET}, {@code a_b_2_OFFSET}. The first alternative
 * of an item names its macros, whichever matched; symbols of a pattern, or of several versions, have their names.
 */
public final class ConstantsHeader {

    private static final String PARAMETERS = "(read, base, to)";

    private static final Pattern KIND =
            Pattern.compile("^(struct|union|class|enum|typedef|variable|enumerator|symbol)\\s+");

    private final PinnedTypes pins;
    private final List<String> lines = new ArrayList<>();

    /** Items and values that have a constant. */
    private final Set<String> meanings = new HashSet<>();

    private final Set<String> names = new HashSet<>();

    /** Least number that may be free, by the name without one: a file may give many members names that become one identifier. */
    private final Map<String, Integer> numbers = new HashMap<>();

    private ConstantsHeader(PinnedTypes pins) {
        this.pins = pins;
    }

    /**
     * Returns the lines of the header, without line ends.
     *
     * @param pins the types that the answers are from
     * @param buildId null if the build has none
     * @param architecture null if it is not known
     */
    public static List<String> lines(
            List<ItemAnswer> answers,
            PinnedTypes pins,
            @Nullable BuildId buildId,
            @Nullable Architecture architecture) {
        String guard = guard(answers, buildId);
        ConstantsHeader header = new ConstantsHeader(pins);
        header.lines.add(Comments.comment("Offsets and sizes in bytes, for one build only."));
        header.lines.add(Comments.comment(build(buildId, architecture)));
        header.lines.add("#ifndef " + guard);
        header.lines.add("#define " + guard);
        for (ItemAnswer answer : answers) {
            header.lines.add("");
            header.answer(answer);
        }
        header.lines.add("");
        header.lines.add("#endif");
        return List.copyOf(header.lines);
    }

    static String build(@Nullable BuildId buildId, @Nullable Architecture architecture) {
        return "build-id: " + Objects.requireNonNullElse(buildId, "none")
                + (architecture == null
                        ? ""
                        : ", %s, %d bits, %s-endian"
                                .formatted(architecture.machine(), architecture.bits(), architecture.byteOrderName()));
    }

    /** Returns the include guard. Headers of one build with different items may be included together. */
    private static String guard(List<ItemAnswer> answers, @Nullable BuildId buildId) {
        CRC32 items = new CRC32();
        for (ItemAnswer answer : answers) {
            items.update((answer.item().text() + ",").getBytes(StandardCharsets.UTF_8));
        }
        return "OFFSETD_%s_%08X_H".formatted(Objects.requireNonNullElse(buildId, "NO_BUILD_ID"), items.getValue());
    }

    private void answer(ItemAnswer answer) {
        // The program that includes the header uses one name, whichever alternative matched.
        String first = answer.item().alternatives().getFirst().text();
        String item = KIND.matcher(first).replaceFirst("");
        switch (answer.outcome()) {
            case ItemOutcome.TypeFound type -> type(item, type);
            case ItemOutcome.PathFound path -> {
                lines.add(Comments.comment(item + ": " + path.placement().type().spelling()));
                place(item, path.placement());
            }
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) -> plan(item, plan);
            case ItemOutcome.VariableFound found
            when found.problem() == null -> {
                lines.addAll(LayoutText.remarks(answer));
                found.address().ifPresent(address -> define(item, "ADDRESS", hex(address)));
                switch (found.part()) {
                    case ItemOutcome.PathFound path -> place(item, path.placement());
                    case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) -> plan(item, plan);
                    default -> {}
                }
            }
            case ItemOutcome.EnumeratorFound found -> {
                lines.add(Comments.comment(answer.item().text()));
                value(item, found.found().shape(), found.found().enumerator());
            }
            case ItemOutcome.StaticFound found -> {
                lines.addAll(LayoutText.remarks(answer));
                if (found.variable().address() != null) {
                    define(item, "ADDRESS", hex(found.variable().address()));
                }
            }
            case ItemOutcome.SymbolsFound found -> {
                lines.addAll(LayoutText.remarks(answer));
                symbols(item, found);
            }
            case ItemOutcome.TlsFound(TlsSegment tls) -> {
                lines.addAll(LayoutText.remarks(answer));
                define(item, "ADDRESS", hex(tls.address()));
                define(item, "SIZE", Long.toUnsignedString(tls.memorySize()));
                define(item, "ALIGNMENT", Long.toUnsignedString(tls.alignment()));
            }
            default -> lines.addAll(LayoutText.remarks(answer));
        }
    }

    private void symbols(String item, ItemOutcome.SymbolsFound found) {
        boolean named = found.total() == 1 && item.chars().noneMatch(c -> "*?[\\".indexOf(c) >= 0);
        SortedMap<String, List<Symbol>> byName = new TreeMap<>();
        for (Symbol symbol : found.symbols()) {
            byName.computeIfAbsent(named ? item : symbol.versionedName(), _ -> new ArrayList<>())
                    .add(symbol);
        }
        byName.forEach((name, same) -> {
            if (same.size() > 1) {
                lines.add(Comments.comment(name + ": ambiguous, " + same.size() + " symbols have this name"));
            } else {
                symbol(name, same.getFirst());
            }
        });
    }

    private void symbol(String name, Symbol symbol) {
        SymbolSection section = symbol.section();
        if (section.kind() == SymbolSection.Kind.ABSOLUTE) {
            define(name, "VALUE", hex(symbol.value()));
        } else if (section.kind() == SymbolSection.Kind.IN_SECTION && !section.isUnknown()) {
            if (symbol.type() == SymbolType.TLS) {
                define(name, "OFFSET", Long.toUnsignedString(symbol.value()));
            } else {
                define(name, "ADDRESS", hex(symbol.value()));
            }
        } else {
            lines.add(Comments.comment(name + ": its address is not in this file"));
        }
        if (symbol.size() != 0) {
            define(name, "SIZE", Long.toUnsignedString(symbol.size()));
        }
    }

    private void type(String item, ItemOutcome.TypeFound type) {
        TypeShape shape = type.definition().shape();
        lines.add(Comments.comment(item + ": " + type.kind().word() + ", "
                + type.definition().language().name()));
        size(item, shape.byteSize(), LayoutText.remark(pins.of(type.definition())));
        type.fields().forEach((field, placements) -> {
            String path = item + "." + field;
            if (placements.size() > 1) {
                lines.add(Comments.comment(path + ": ambiguous, " + placements.size() + " members have this name"));
            } else {
                switch (placements.getFirst()) {
                    case Placement.Fixed fixed -> place(path, fixed);
                    case Placement.Computed computed ->
                        lines.add(
                                Comments.comment(path + ": " + computed.status().word() + ", " + computed.reason()));
                }
            }
        });
        if (shape.peeled() instanceof EnumShape enumeration) {
            for (Enumerator enumerator : enumeration.enumerators()) {
                value(item + "." + enumerator.name(), enumeration, enumerator);
            }
        }
    }

    private void place(String path, Placement.Fixed place) {
        String remark = LayoutText.byteOrder(place.type()) + LayoutText.remark(pins.of(place));
        define(path, "OFFSET", Long.toString(place.offset()) + remark);
        size(path, place.size(), remark);
        if (place.isBitField()) {
            define(path, "BIT_OFFSET", Long.toString(place.bitOffset()) + remark);
            define(path, "BIT_SIZE", Integer.toString(place.bitSize()) + remark);
        }
    }

    /**
     * Adds a macro that reads the value of a plan. Its parameter {@code read} is called as {@code bpf_probe_read_user(to, size,
     * from)} is, and returns 0 for success; {@code base} is the address of the variable or object.
     */
    private void plan(String path, ReadPlan plan) {
        Placement.Fixed target = plan.target();
        lines.add(Comments.comment(path + ": " + target.type().spelling()));
        String order = LayoutText.byteOrder(target.type());
        size(path, target.size(), order + LayoutText.remark(pins.of(target)));
        if (target.isBitField()) {
            define(path, "BIT_OFFSET", Long.toString(plan.bitOffset()) + order);
            define(path, "BIT_SIZE", Integer.toString(target.bitSize()) + order);
        }
        if (!order.isEmpty()) {
            lines.add(Comments.comment(
                    path + ": no macro reads it, because it is not stored in the byte order of the build"));
            return;
        }
        if (target.size() == TypeShape.UNKNOWN_SIZE) {
            return;
        }
        define(path, "READ", PARAMETERS, macro(MapValue.Plan.of(null, plan)));
    }

    /** Returns the macros of a plan under a name, which must be an identifier. */
    static List<String> macros(String name, MapValue.Plan plan) {
        StringBuilder out = new StringBuilder();
        if (plan.symbol() != null) {
            out.append(Comments.comment(name + " starts at the variable " + plan.symbol()))
                    .append('\n');
        }
        out.append("#define ").append(name).append("_SIZE ").append(plan.size()).append('\n');
        if (plan.bitSize() > 0) {
            out.append("#define ")
                    .append(name)
                    .append("_BIT_OFFSET ")
                    .append(plan.bitOffset())
                    .append('\n');
            out.append("#define ")
                    .append(name)
                    .append("_BIT_SIZE ")
                    .append(plan.bitSize())
                    .append('\n');
        }
        out.append("#define ")
                .append(name)
                .append("_READ")
                .append(PARAMETERS)
                .append(' ')
                .append(macro(plan));
        return List.of(out.toString().split("\n", -1));
    }

    private static String macro(MapValue.Plan plan) {
        StringBuilder macro = new StringBuilder("__extension__({ \\\n");
        macro.append("        unsigned long long at_ = (unsigned long long)(base); \\\n        long failed_ = 0; \\\n");
        for (MapValue.Pointer pointer : plan.pointers()) {
            long bytes = pointer.size();
            String type = bytes == Long.BYTES
                    ? "unsigned long long"
                    : bytes == Integer.BYTES ? "unsigned int" : "unsigned short";
            macro.append("        if (!failed_) { \\\n            ")
                    .append(type)
                    .append(" pointer_ = 0; \\\n            failed_ = read(&pointer_, ")
                    .append(bytes)
                    .append(", (const void *)(__UINTPTR_TYPE__)(at_ + ")
                    .append(signed(pointer.offset()))
                    .append(")); \\\n            at_ = pointer_; \\\n        } \\\n");
        }
        macro.append("        failed_ ? failed_ : read(to, ")
                .append(plan.size())
                .append(", (const void *)(__UINTPTR_TYPE__)(at_ + ")
                .append(signed(plan.offset()))
                .append(")); \\\n    })");
        return macro.toString();
    }

    private void size(String path, long bytes, String remark) {
        if (bytes == TypeShape.UNKNOWN_SIZE) {
            lines.add(Comments.comment(path + ": its size is not known"));
        } else {
            define(path, "SIZE", Long.toString(bytes) + remark);
        }
    }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }

    private void define(String path, String what, String value) {
        define(path, what, "", value);
    }

    private void define(String path, String what, String parameters, String value) {
        Deadline.checkCurrent();
        if (meanings.add(path + " " + what + " " + value)) {
            String name = freeName(identifier(path), what);
            lines.addAll(List.of(("#define " + name + parameters + " " + value).split("\n", -1)));
        }
    }

    private String freeName(String identifier, String what) {
        String first = identifier + "_" + what;
        String name = first;
        int number = numbers.getOrDefault(first, 1);
        while (!names.add(name)) {
            number++;
            name = identifier + "_" + number + "_" + what;
        }
        numbers.put(first, number);
        return name;
    }

    /** Returns the path as a C identifier: {@code v8_Isolate_data_2} for {@code v8::Isolate.data[2]}. */
    static String identifier(String path) {
        StringBuilder out = new StringBuilder(path.length());
        boolean gap = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c < 128 && (Character.isLetterOrDigit(c) || c == '_')) {
                if (gap && !out.isEmpty()) {
                    out.append('_');
                }
                out.append(c);
                gap = false;
            } else {
                gap = true;
            }
        }
        if (out.isEmpty() || Character.isDigit(out.charAt(0))) {
            out.insert(0, '_');
        }
        return out.toString();
    }

    private void value(String path, EnumShape enumeration, Enumerator enumerator) {
        long value = enumerator.value();
        if (!enumerator.known()) {
            lines.add(LayoutText.tooWide(path));
        } else {
            define(path, "VALUE", value < 0 && !enumeration.signed() ? hex(value) + "u" : signed(value));
        }
    }

    /** Returns a literal of a signed value. */
    static String signed(long value) {
        if (value >= 0) {
            return Long.toString(value);
        }
        // The smallest value has no literal in C.
        return value == Long.MIN_VALUE ? "(-" + Long.MAX_VALUE + " - 1)" : "(" + value + ")";
    }
}
