package dev.offsetd.extractor.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Layouts of types in a debug file as pahole prints them. */
public final class Pahole {

    private static final Pattern MEMBER = Pattern.compile("(.*)/\\* +([0-9]+)(?:: *([0-9]+))? +([0-9]+) *\\*/.*");
    private static final Pattern FUNCTION_POINTER = Pattern.compile(".*\\(\\*(\\w+)[^)]*\\)\\(.*\\);");
    private static final Pattern NAME = Pattern.compile(".*?(\\w+)(?:\\[.*\\])*(?: *:[0-9]+)?(?: __attribute__.*)?;");
    private static final Pattern SIZE = Pattern.compile("\\s*/\\* size: ([0-9]+),.*");

    private Pahole() {}

    /**
     * Layout of a type.
     *
     * @param size in bytes
     * @param members direct members, in order
     */
    public record Layout(long size, List<PaholeMember> members) {
        public Layout {
            members = List.copyOf(members);
        }
    }

    /**
     * A member.
     *
     * @param name null if it is unnamed
     * @param bitOffset bits from the start of the type, in the memory order of little-endian machines
     * @param size in bytes; for a bit-field, that of the declared type
     */
    public record PaholeMember(@Nullable String name, long bitOffset, long size) {}

    /** Returns the layout of the struct or union with the given tag, from DWARF. */
    public static Layout layout(Path file, String tag) throws IOException {
        return layout(file, tag, "dwarf");
    }

    /**
     * Returns the layout of the struct or union with the given tag.
     *
     * @param format what pahole reads: {@code dwarf} or {@code btf}
     */
    public static Layout layout(Path file, String tag, String format) throws IOException {
        String out = RequiredTool.require("pahole").output("-F", format, "-C", tag, file);
        Map<String, Layout> layouts = layouts(out.lines());
        if (layouts.size() != 1) {
            throw new IOException("pahole prints " + layouts.size() + " layouts for " + tag + ": " + out);
        }
        return layouts.values().iterator().next();
    }

    /** Returns the layouts of all structs and unions in BTF, by kind and name: {@code struct list_head}. */
    public static Map<String, Layout> layouts(Path btf) throws IOException {
        Map<String, Layout> layouts = new TreeMap<>();
        RequiredTool.require("pahole").stream(
                out -> layouts.putAll(
                        layouts(new BufferedReader(new InputStreamReader(out, StandardCharsets.UTF_8)).lines())),
                "-F",
                "btf",
                btf);
        return layouts;
    }

    private static Map<String, Layout> layouts(Stream<String> lines) {
        Map<String, Layout> layouts = new TreeMap<>();
        List<PaholeMember> members = new ArrayList<>();
        String head = "";
        long size = 0;
        int depth = 0;
        for (String line : (Iterable<String>) lines::iterator) {
            Matcher sized = SIZE.matcher(line);
            if (sized.matches() && depth == 1) {
                size = Long.parseLong(sized.group(1));
                continue;
            }
            Matcher member = MEMBER.matcher(line);
            String code = member.matches() ? member.group(1).strip() : line.strip();
            if (code.startsWith("}") && --depth == 0) {
                layouts.put(head, new Layout(size, members));
            }
            if (member.matches() && depth == 1) {
                long bitOffset = 8 * Long.parseLong(member.group(2));
                if (member.group(3) != null) {
                    bitOffset += Long.parseLong(member.group(3));
                }
                members.add(new PaholeMember(name(code), bitOffset, Long.parseLong(member.group(4))));
            }
            if (code.endsWith("{") && depth++ == 0) {
                head = code.substring(0, code.length() - 1).strip();
                members = new ArrayList<>();
                size = 0;
            }
        }
        return layouts;
    }

    private static @Nullable String name(String code) {
        Matcher function = FUNCTION_POINTER.matcher(code);
        if (function.matches()) {
            return function.group(1);
        }
        Matcher matcher = NAME.matcher(code);
        return matcher.matches() ? matcher.group(1) : null;
    }
}
