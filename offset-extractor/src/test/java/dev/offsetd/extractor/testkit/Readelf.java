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

/** Type layouts and build-ids out of what {@code readelf} of GNU binutils prints. Tried with version 2.40. */
public final class Readelf {

    private static final Pattern CONTENTS = Pattern.compile("Contents of the (\\.\\w+) section:");
    private static final Pattern UNIT = Pattern.compile(" +Compilation Unit @ offset (?:0x)?([0-9a-f]+):");
    private static final Pattern FIELD = Pattern.compile(" +(Pointer Size|Signature|Type Offset): +(?:0x)?([0-9a-f]+)");
    private static final Pattern DIE =
            Pattern.compile(" <([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: [0-9]+ \\((DW_TAG_\\w+)\\)");
    private static final Pattern ATTRIBUTE =
            Pattern.compile(" +<[0-9a-f]+> +(DW_AT_\\w+) *: (?:\\(\\w+\\) ?)?(?:DW_FORM_\\w+ \\(\\w+\\) ?)?(.*)");
    private static final Pattern REFERENCE = Pattern.compile("<?0x([0-9a-f]+)\\b.*");
    private static final Pattern SIGNATURE = Pattern.compile("(?:signature)?: ?0x([0-9a-f]+).*");
    private static final Pattern INDIRECT_STRING = Pattern.compile("\\([^)]*\\): ?(.*)");
    private static final Pattern NUMBER = Pattern.compile("(-?[0-9]+|0x[0-9a-f]+)(?:\\s.*)?");
    private static final Pattern PLUS_UCONST = Pattern.compile(".*\\(DW_OP_plus_uconst: ([0-9]+)\\)");
    private static final Pattern BUILD_ID = Pattern.compile("(?s).*Build ID: ([0-9a-f]+).*");

    private Readelf() {}

    /** Every complete named struct, union, class and enumeration of the file, in the order of the DIEs. */
    public static List<ExpectedDefinition> definitions(Path file, ByteOrder order) throws IOException {
        RawDwarf dwarf = new RawDwarf(order);
        RequiredTool.require("readelf").stream(out -> read(out, dwarf), "-W", "--debug-dump=info", file);
        return dwarf.definitions();
    }

    /** The file's GNU build-id in lower-case hex. */
    public static String buildId(Path file) throws IOException {
        String notes = RequiredTool.require("readelf").output("-W", "-n", file);
        Matcher matcher = BUILD_ID.matcher(notes);
        if (!matcher.matches()) {
            throw new IOException(file + " has no build-id: " + notes);
        }
        return matcher.group(1);
    }

    private static void read(InputStream out, RawDwarf dwarf) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(out, StandardCharsets.UTF_8));
        String section = ".debug_info";
        RawUnit unit = new RawUnit(section, 0);
        RawDie die = null;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("    <")) {
                if (die != null) {
                    attribute(line, unit, die);
                }
                continue;
            }
            Matcher dieLine = DIE.matcher(line);
            if (dieLine.matches()) {
                // The depth in angle brackets is hexadecimal, like everything there.
                int depth = (int) hex(dieLine.group(1));
                die = dwarf.die(unit, hex(dieLine.group(2)), dieLine.group(3), depth);
                continue;
            }
            Matcher unitLine = UNIT.matcher(line);
            if (unitLine.matches()) {
                unit = dwarf.unit(section, hex(unitLine.group(1)));
                die = null;
                continue;
            }
            Matcher field = FIELD.matcher(line);
            if (field.matches()) {
                long value = hex(field.group(2));
                switch (field.group(1)) {
                    case "Pointer Size" -> unit.addressSize = (int) value;
                    case "Signature" -> unit.signature = value;
                    default -> unit.typeOffset = value;
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
        String value = matcher.group(2);
        if (attribute.equals("DW_AT_name")) {
            Matcher indirect = INDIRECT_STRING.matcher(value);
            die.name = (indirect.matches() ? indirect.group(1) : value).stripTrailing();
            if (die.tag.endsWith("_unit")) {
                unit.name = die.name;
            }
            return;
        }
        Matcher reference = REFERENCE.matcher(value);
        Matcher signature = SIGNATURE.matcher(value);
        boolean isReference = attribute.equals("DW_AT_type") || attribute.equals("DW_AT_specification");
        if (isReference && reference.matches()) {
            die.put(attribute, hex(reference.group(1)));
        } else if (signature.matches()) {
            die.put(attribute, hex(signature.group(1)));
            die.typeIsSignature |= attribute.equals("DW_AT_type");
        } else {
            die.put(attribute, number(value));
        }
    }

    private static long number(String value) {
        Matcher plus = PLUS_UCONST.matcher(value);
        if (plus.matches()) {
            return Long.parseLong(plus.group(1));
        }
        Matcher number = NUMBER.matcher(value);
        if (!number.matches() || value.contains("byte block")) {
            return RawDie.NOT_A_NUMBER;
        }
        String digits = number.group(1);
        if (digits.startsWith("0x")) {
            return hex(digits.substring(2));
        }
        return digits.startsWith("-") ? Long.parseLong(digits) : Long.parseUnsignedLong(digits);
    }

    private static long hex(String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }
}
