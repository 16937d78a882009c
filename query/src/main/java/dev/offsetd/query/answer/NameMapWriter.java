package dev.offsetd.query.answer;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.typeset.MapValue;
import dev.offsetd.query.typeset.NameMap;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the values of name maps. A name without a value is never a number: in JSON and YAML it has an object with the
 * status, which no reader of numbers takes for one; in C it is a comment.
 */
public final class NameMapWriter {

    /** Integers up to this absolute value are exact in every JSON reader; others are strings in hex. */
    private static final BigInteger EXACT = BigInteger.ONE.shiftLeft(53);

    private static final Set<String> YAML_WORDS = Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");

    private NameMapWriter() {}

    /** Writes the property {@code map}: where the names are from. */
    public static void writeMap(JsonGenerator out, NameMap.Values values) {
        out.writeObjectPropertyStart("map");
        out.writeStringProperty("set", values.set());
        out.writeNumberProperty("version", values.version());
        out.writeStringProperty("name", values.map().name());
        out.writeEndObject();
    }

    /** Writes an object with the value of each name. */
    public static void writeValues(JsonGenerator out, NameMap.Values values) {
        out.writeStartObject();
        for (NameMap.NamedValue named : values.values()) {
            Deadline.checkCurrent();
            out.writeName(named.name());
            write(out, named.value());
        }
        out.writeEndObject();
    }

    private static void write(JsonGenerator out, MapValue value) {
        switch (value) {
            case MapValue.Known known -> {
                BigInteger number = known.number();
                if (number.abs().compareTo(EXACT) < 0) {
                    out.writeNumber(number.longValueExact());
                } else {
                    out.writeString(hex(number));
                }
            }
            case MapValue.Plan plan -> write(out, plan);
            case MapValue.Missing missing -> {
                out.writeStartObject();
                out.writeStringProperty("status", missing.status().word());
                out.writeStringProperty("item", missing.item().text());
                if (missing.detail() != null) {
                    out.writeStringProperty("detail", missing.detail());
                }
                out.writeEndObject();
            }
        }
    }

    private static void write(JsonGenerator out, MapValue.Plan plan) {
        out.writeStartObject();
        if (plan.symbol() != null) {
            out.writeStringProperty("symbol", plan.symbol());
        }
        writeSteps(out, plan);
        out.writeNumberProperty("size", plan.size());
        if (plan.bitSize() > 0) {
            out.writeNumberProperty("bitOffset", plan.bitOffset());
            out.writeNumberProperty("bitSize", plan.bitSize());
        }
        out.writeEndObject();
    }

    /** Writes the property {@code steps}. */
    static void writeSteps(JsonGenerator out, MapValue.Plan plan) {
        out.writeArrayPropertyStart("steps");
        for (MapValue.Pointer pointer : plan.pointers()) {
            writeOffset(out, pointer.offset());
            out.writeStartObject();
            out.writeBooleanProperty("deref", true);
            out.writeNumberProperty("pointerSize", pointer.size());
            out.writeEndObject();
        }
        writeOffset(out, plan.offset());
        out.writeEndArray();
    }

    private static void writeOffset(JsonGenerator out, long offset) {
        out.writeStartObject();
        out.writeNumberProperty("offset", offset);
        out.writeEndObject();
    }

    /** Writes an array of changed names, each with its value {@code from} and {@code to}, where there is one. */
    public static void writeChanges(JsonGenerator out, List<NameMap.Change> changes) {
        out.writeStartArray();
        for (NameMap.Change change : changes) {
            out.writeStartObject();
            out.writeStringProperty("name", change.name());
            if (change.before() != null) {
                out.writeName("from");
                write(out, change.before());
            }
            if (change.after() != null) {
                out.writeName("to");
                write(out, change.after());
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** Returns a line for each changed name: {@code ~ zend_op.lineno: 24 -> 28}. */
    public static List<String> changes(List<NameMap.Change> changes) {
        return changes.stream()
                .map(change -> "~ " + change.name() + ": " + text(change.before()) + " -> " + text(change.after()))
                .toList();
    }

    private static String text(@Nullable MapValue value) {
        return value == null ? "none" : value.text();
    }

    /** Writes the property {@code limits}: the bound of each offset that has one. */
    public static void writeLimits(JsonGenerator out, NameMap.Values values) {
        out.writeObjectPropertyStart("limits");
        for (NameMap.NamedValue named : values.values()) {
            if (named.value() instanceof MapValue.Known known && known.limit() != null) {
                out.writeObjectPropertyStart(named.name());
                out.writeNumberProperty("size", known.limit().size());
                out.writeNumberProperty("within", known.limit().within());
                out.writeEndObject();
            }
        }
        out.writeEndObject();
    }

    /** Returns the values as lines of YAML, without line ends. A dot in a name begins a nested mapping. */
    public static List<String> yaml(NameMap.Values values) {
        List<String> lines = new ArrayList<>();
        lines.add(Comments.yaml(title(values)));
        List<NameMap.NamedValue> sorted = new ArrayList<>(values.values());
        sorted.sort(Comparator.comparing(NameMap.NamedValue::name));
        String[] open = {};
        for (NameMap.NamedValue named : sorted) {
            Deadline.checkCurrent();
            String[] path = named.name().split("\\.");
            int depth = 0;
            while (depth < path.length - 1 && depth < open.length - 1 && path[depth].equals(open[depth])) {
                depth++;
            }
            for (; depth < path.length - 1; depth++) {
                lines.add("    ".repeat(depth) + key(path[depth]) + ":");
            }
            lines.add("    ".repeat(depth) + key(path[depth]) + ": " + yaml(named.value()));
            open = path;
        }
        return List.copyOf(lines);
    }

    /** Quotes names that YAML 1.1 reads as booleans or null. */
    private static String key(String name) {
        return YAML_WORDS.contains(name.toLowerCase(Locale.ROOT)) ? '"' + name + '"' : name;
    }

    private static String yaml(MapValue value) {
        return switch (value) {
            case MapValue.Known known -> known.number().toString();
            case MapValue.Plan plan -> yaml(plan);
            case MapValue.Missing missing ->
                "{status: " + missing.status().word() + ", item: '"
                        + Comments.safe(missing.item().text()).replace("'", "''") + "'}";
        };
    }

    private static String yaml(MapValue.Plan plan) {
        StringJoiner steps = new StringJoiner(", ", "steps: [", "]");
        for (MapValue.Pointer pointer : plan.pointers()) {
            steps.add("{offset: " + pointer.offset() + "}");
            steps.add("{deref: true, pointerSize: " + pointer.size() + "}");
        }
        steps.add("{offset: " + plan.offset() + "}");
        StringJoiner out = new StringJoiner(", ", "{", "}");
        if (plan.symbol() != null) {
            out.add("symbol: '" + Comments.safe(plan.symbol()).replace("'", "''") + "'");
        }
        out.add(steps.toString()).add("size: " + plan.size());
        if (plan.bitSize() > 0) {
            out.add("bitOffset: " + plan.bitOffset()).add("bitSize: " + plan.bitSize());
        }
        return out.toString();
    }

    /** Returns the values as the lines of a C header, without line ends. A dot in a name becomes {@code _}. */
    public static List<String> header(
            NameMap.Values values, @Nullable BuildId buildId, @Nullable Architecture architecture) {
        String guard = "OFFSETD_%s_%s_%s_H"
                .formatted(
                        Objects.requireNonNullElse(buildId, "NO_BUILD_ID"),
                        values.set(),
                        values.map().name())
                .replace('-', '_')
                .toUpperCase(Locale.ROOT);
        List<String> lines = new ArrayList<>();
        lines.add(Comments.comment(title(values)));
        lines.add(Comments.comment(ConstantsHeader.build(buildId, architecture)));
        lines.add("#ifndef " + guard);
        lines.add("#define " + guard);
        lines.add("");
        for (NameMap.NamedValue named : values.values()) {
            Deadline.checkCurrent();
            String macro = named.name().replace('.', '_');
            switch (named.value()) {
                case MapValue.Known known -> lines.add("#define " + macro + " " + literal(known.number()));
                case MapValue.Plan plan -> lines.addAll(ConstantsHeader.macros(macro, plan));
                case MapValue.Missing missing ->
                    lines.add(Comments.comment(macro + ": " + missing.status().word() + ", "
                            + missing.item().text()));
            }
        }
        lines.add("");
        lines.add("#endif");
        return List.copyOf(lines);
    }

    private static String title(NameMap.Values values) {
        return new StringJoiner(", ")
                .add("@" + values.set() + " version " + values.version())
                .add("map " + values.map().name())
                .add(values.map().title())
                .toString();
    }

    private static String hex(BigInteger number) {
        return (number.signum() < 0 ? "-0x" : "0x") + number.abs().toString(16);
    }

    private static String literal(BigInteger number) {
        if (number.bitLength() >= Long.SIZE) {
            return "0x" + number.toString(16) + "u";
        }
        return ConstantsHeader.signed(number.longValueExact());
    }
}
