package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
        List<PaholeMember> members = new ArrayList<>();
        long size = -1;
        int depth = 0;
        for (String line : out.lines().toList()) {
            Matcher sized = SIZE.matcher(line);
            if (sized.matches() && depth == 1) {
                size = Long.parseLong(sized.group(1));
                continue;
            }
            Matcher member = MEMBER.matcher(line);
            String code = member.matches() ? member.group(1).strip() : line.strip();
            if (code.startsWith("}")) {
                depth--;
            }
            if (member.matches() && depth == 1) {
                long bitOffset = 8 * Long.parseLong(member.group(2));
                if (member.group(3) != null) {
                    bitOffset += Long.parseLong(member.group(3));
                }
                members.add(new PaholeMember(name(code), bitOffset, Long.parseLong(member.group(4))));
            }
            if (code.endsWith("{")) {
                depth++;
            }
        }
        if (size < 0) {
            throw new IOException("pahole prints no size for " + tag + ": " + out);
        }
        return new Layout(size, members);
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
