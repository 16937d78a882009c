package dev.offsetd.extractor.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Type layouts out of what {@code bpftool btf dump} prints of a file's BTF. Tried with version 7.1. */
public final class Bpftool {

    private static final Pattern TYPE = Pattern.compile("\\[([0-9]+)\\] (\\w+) '(.*)'(?: (.*))?");
    private static final Pattern PART = Pattern.compile("\t'(.*)' (.*)");
    private static final Pattern FIELD = Pattern.compile("(\\w+)=(-?[0-9]+)");
    private static final String UNNAMED = "(anon)";

    /** Bytes of the header, and of a type before its data (kernel btf.rst §2.1, §2.2). */
    private static final int HEADER = 24;

    private static final int COMMON = 12;

    private final int pointerBytes;
    private final Map<Long, BtfType> types = new HashMap<>();

    private record BtfType(long offset, String kind, String name, Map<String, Long> fields, List<Part> parts) {
        long field(String field) {
            return fields.getOrDefault(field, 0L);
        }
    }

    private record Part(String name, Map<String, Long> fields) {}

    private Bpftool(int pointerBytes) {
        this.pointerBytes = pointerBytes;
    }

    /** Every named struct, union and enumeration of the file's BTF, at the offset of its record in the section. */
    public static List<ExpectedDefinition> definitions(RequiredTool bpftool, Path file, int pointerBytes)
            throws IOException {
        Bpftool dump = new Bpftool(pointerBytes);
        bpftool.stream(dump::read, "btf", "dump", "file", file);
        List<ExpectedDefinition> definitions = new ArrayList<>();
        for (long id = 1; id <= dump.types.size(); id++) {
            BtfType type = dump.type(id);
            String kind = kind(type);
            if (kind != null && !type.name.equals(UNNAMED)) {
                definitions.add(dump.definition(type, kind));
            }
        }
        return definitions;
    }

    private void read(InputStream out) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(out, StandardCharsets.UTF_8));
        long offset = HEADER;
        List<Part> parts = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher part = PART.matcher(line);
            Matcher type = TYPE.matcher(line);
            if (part.matches()) {
                parts.add(new Part(part.group(1), fields(part.group(2))));
            } else if (type.matches()) {
                parts = new ArrayList<>();
                String rest = type.group(4) == null ? "" : type.group(4);
                BtfType read = new BtfType(offset, type.group(2), type.group(3), fields(rest), parts);
                types.put(Long.valueOf(type.group(1)), read);
                offset += COMMON + dataBytes(read);
            }
        }
    }

    private static Map<String, Long> fields(String text) {
        Map<String, Long> fields = new HashMap<>();
        Matcher matcher = FIELD.matcher(text);
        while (matcher.find()) {
            String number = matcher.group(2);
            fields.put(
                    matcher.group(1), number.startsWith("-") ? Long.parseLong(number) : Long.parseUnsignedLong(number));
        }
        return fields;
    }

    /** Bytes that follow a type's record (kernel btf.rst §2.2). */
    private static long dataBytes(BtfType type) {
        return switch (type.kind) {
            case "INT", "VAR", "DECL_TAG" -> 4;
            case "ARRAY" -> 12;
            case "STRUCT", "UNION", "ENUM64", "DATASEC" -> 12 * type.field("vlen");
            case "ENUM", "FUNC_PROTO" -> 8 * type.field("vlen");
            default -> 0;
        };
    }

    private static @Nullable String kind(BtfType type) {
        return switch (type.kind) {
            case "STRUCT" -> "struct";
            case "UNION" -> "union";
            // One without enumerators is only declared: BTF has no forward declaration of enumerations.
            case "ENUM", "ENUM64" -> type.parts.isEmpty() ? null : "enum";
            default -> null;
        };
    }

    private ExpectedDefinition definition(BtfType type, String kind) {
        List<ExpectedDefinition.ExpectedMember> members = new ArrayList<>();
        List<ExpectedDefinition.ExpectedEnumerator> enumerators = new ArrayList<>();
        for (Part part : type.parts) {
            if (kind.equals("enum")) {
                enumerators.add(
                        new ExpectedDefinition.ExpectedEnumerator(part.name, part.fields.getOrDefault("val", 0L)));
            } else {
                members.add(member(part));
            }
        }
        return new ExpectedDefinition(
                ".BTF", type.offset, "", kind, type.name, type.field("size"), members, enumerators);
    }

    private ExpectedDefinition.ExpectedMember member(Part part) {
        long type = part.fields.getOrDefault("type_id", 0L);
        long bitSize = part.fields.getOrDefault("bitfield_size", 0L);
        return new ExpectedDefinition.ExpectedMember(
                part.name.equals(UNNAMED) ? null : part.name,
                false,
                part.fields.getOrDefault("bits_offset", 0L),
                bitSize == 0 ? null : (int) bitSize,
                size(type),
                counts(type));
    }

    private BtfType type(long id) {
        BtfType type = types.get(id);
        if (type == null) {
            throw new IllegalStateException("bpftool printed no type " + id);
        }
        return type;
    }

    private BtfType peeled(long id) {
        BtfType type = type(id);
        return switch (type.kind) {
            case "TYPEDEF", "CONST", "VOLATILE", "RESTRICT", "TYPE_TAG" -> peeled(type.field("type_id"));
            default -> type;
        };
    }

    private long size(long id) {
        BtfType type = peeled(id);
        return switch (type.kind) {
            case "PTR" -> pointerBytes;
            case "ARRAY" -> type.field("nr_elems") * size(type.field("type_id"));
            case "FWD" -> -1;
            default -> type.field("size");
        };
    }

    private @Nullable List<@Nullable Long> counts(long id) {
        BtfType type = peeled(id);
        if (!type.kind.equals("ARRAY")) {
            return null;
        }
        List<@Nullable Long> counts = new ArrayList<>();
        while (type.kind.equals("ARRAY")) {
            counts.add(type.field("nr_elems"));
            type = type(type.field("type_id"));
        }
        return counts;
    }
}
