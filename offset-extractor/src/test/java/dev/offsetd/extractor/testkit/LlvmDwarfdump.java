package dev.offsetd.extractor.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Type layouts out of what {@code llvm-dwarfdump} prints. Tried with version 14. */
public final class LlvmDwarfdump {

    private static final Pattern CONTENTS = Pattern.compile("(\\.debug_\\w+) contents:");
    private static final Pattern UNIT =
            Pattern.compile("0x([0-9a-f]+): (?:Compile|Partial|Type|Skeleton) Unit: .*addr_size = 0x([0-9a-f]+).*");
    private static final Pattern TYPE_UNIT =
            Pattern.compile(".*type_signature = 0x([0-9a-f]+), type_offset = 0x([0-9a-f]+).*");
    private static final Pattern DIE = Pattern.compile("0x([0-9a-f]+):( +)(DW_TAG_\\w+|NULL)");
    private static final Pattern ATTRIBUTE =
            Pattern.compile(" +(DW_AT_\\w+) \\[(DW_FORM_\\w+)(?: \\S+)?\\]\\s*\\((.*?)\\)?");
    private static final Pattern PLUS_UCONST = Pattern.compile("DW_OP_plus_uconst 0x([0-9a-f]+)");

    private LlvmDwarfdump() {}

    /** Every complete named struct, union, class and enumeration of the file, in the order of the DIEs. */
    public static List<ExpectedDefinition> definitions(Path file, ByteOrder order) throws IOException {
        RawDwarf dwarf = new RawDwarf(order);
        RequiredTool.require("llvm-dwarfdump").stream(
                out -> read(out, dwarf), "--debug-info", "--debug-types", "--show-form", file);
        return dwarf.definitions();
    }

    private static void read(InputStream out, RawDwarf dwarf) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(out, StandardCharsets.UTF_8));
        String section = ".debug_info";
        RawUnit unit = new RawUnit(section, 0);
        RawDie die = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(" ")) {
                if (die != null) {
                    attribute(line, unit, die);
                }
                continue;
            }
            Matcher dieLine = DIE.matcher(line);
            if (dieLine.matches()) {
                int depth = (dieLine.group(2).length() - 1) / 2;
                die = dieLine.group(3).equals("NULL")
                        ? null
                        : dwarf.die(unit, hex(dieLine.group(1)), dieLine.group(3), depth);
                continue;
            }
            Matcher unitLine = UNIT.matcher(line);
            if (unitLine.matches()) {
                unit = dwarf.unit(section, hex(unitLine.group(1)));
                unit.addressSize = (int) hex(unitLine.group(2));
                Matcher typeUnit = TYPE_UNIT.matcher(line);
                if (typeUnit.matches()) {
                    unit.signature = hex(typeUnit.group(1));
                    unit.typeOffset = hex(typeUnit.group(2));
                }
                continue;
            }
            Matcher contents = CONTENTS.matcher(line);
            if (contents.matches()) {
                section = contents.group(1);
            }
        }
    }

    private static void attribute(String line, RawUnit unit, RawDie die) {
        Matcher matcher = ATTRIBUTE.matcher(line);
        if (!matcher.matches() || !RawDie.keeps(matcher.group(1))) {
            return;
        }
        String attribute = matcher.group(1);
        String form = matcher.group(2);
        String value = matcher.group(3);
        if (attribute.equals("DW_AT_name")) {
            // The tool escapes what would confuse a reader of its output.
            die.name =
                    value.substring(1, value.length() - 1).replace("\\\"", "\"").replace("\\\\", "\\");
            if (die.tag.endsWith("_unit")) {
                unit.name = die.name;
            }
        } else if (attribute.equals("DW_AT_type")
                || attribute.equals("DW_AT_specification")
                || attribute.equals("DW_AT_signature")) {
            die.put(attribute, hex(value.substring(2).split(" ", 2)[0]));
            die.typeIsSignature |= attribute.equals("DW_AT_type") && form.equals("DW_FORM_ref_sig8");
        } else if (form.startsWith("DW_FORM_flag")) {
            die.put(attribute, value.equals("true") || value.equals("0x01") ? 1 : 0);
        } else if (form.startsWith("DW_FORM_ref")) {
            die.put(attribute, RawDie.NOT_A_NUMBER);
        } else {
            die.put(attribute, number(value));
        }
    }

    private static long number(String value) {
        Long number = numberOrNull(value);
        if (number != null) {
            return number;
        }
        Matcher plus = PLUS_UCONST.matcher(value);
        return plus.matches() ? hex(plus.group(1)) : RawDie.NOT_A_NUMBER;
    }

    private static @Nullable Long numberOrNull(String value) {
        if (value.matches("0x[0-9a-f]+")) {
            return hex(value.substring(2));
        }
        if (value.matches("-[0-9]+")) {
            return Long.valueOf(value);
        }
        return value.matches("[0-9]+") ? Long.parseUnsignedLong(value) : null;
    }

    private static long hex(String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }
}
