package dev.offsetd.extractor.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Type layouts out of what {@code llvm-dwarfdump} prints. Tried with version 14. */
public final class LlvmDwarfdump {

    private static final Pattern CONTENTS = Pattern.compile("(\\.debug_[\\w.]+) contents:");
    private static final Pattern UNIT =
            Pattern.compile("0x([0-9a-f]+): (?:Compile|Partial|Type|Skeleton) Unit: .*addr_size = 0x([0-9a-f]+).*");
    private static final Pattern TYPE_UNIT =
            Pattern.compile(".*type_signature = 0x([0-9a-f]+), type_offset = 0x([0-9a-f]+).*");
    private static final Pattern HEX = Pattern.compile("0x([0-9a-f]+)");
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]+");
    private static final Pattern OFFSET = Pattern.compile("DW_OP_(?:plus_uconst|constu) 0x([0-9a-f]+)");

    private LlvmDwarfdump() {}

    /** Every complete named struct, union, class and enumeration of the file, in the order of the DIEs. */
    public static List<ExpectedDefinition> definitions(Path file, ByteOrder order) throws IOException {
        return read(file, order).definitions();
    }

    /** Every type DIE of the file. */
    public static RawDwarf read(Path file, ByteOrder order) throws IOException {
        RawDwarf dwarf = new RawDwarf(order);
        RequiredTool.require("llvm-dwarfdump").stream(
                out -> read(out, dwarf), "--debug-info", "--debug-types", "--show-form", file);
        return dwarf.finish();
    }

    private static void read(InputStream out, RawDwarf dwarf) throws IOException {
        OutputLines line = new OutputLines(out);
        String section = ".debug_info";
        boolean kept = false;
        while (line.next()) {
            if (line.at(0) == ' ') {
                if (kept) {
                    attribute(line, dwarf);
                }
                continue;
            }
            int colon = line.find(':', 0);
            int tag = line.skipSpaces(colon + 1);
            if (line.has(tag, "DW_TAG_")) {
                kept = dwarf.die(line.hex(2), line.text(tag, line.endOfWord(tag)), (tag - colon - 2) / 2);
            } else if (line.has(tag, "NULL")) {
                kept = false;
            } else if (line.length() > 0) {
                section = header(line.text(), section, dwarf);
            }
        }
    }

    private static String header(String line, String section, RawDwarf dwarf) {
        Matcher contents = CONTENTS.matcher(line);
        if (contents.matches()) {
            return contents.group(1);
        }
        Matcher unitLine = UNIT.matcher(line);
        if (unitLine.matches()) {
            RawUnit unit = dwarf.unit(section, hex(unitLine.group(1)));
            unit.addressSize = (int) hex(unitLine.group(2));
            Matcher typeUnit = TYPE_UNIT.matcher(line);
            if (typeUnit.matches()) {
                unit.signature = hex(typeUnit.group(1));
                unit.typeOffset = hex(typeUnit.group(2));
            }
        }
        return section;
    }

    /** {@code   DW_AT_byte_size [DW_FORM_data1]	(0x08)}. */
    private static void attribute(OutputLines line, RawDwarf dwarf) throws IOException {
        int start = line.skipSpaces(0);
        int end = line.endOfWord(start);
        RawAttribute attribute = line.has(start, "DW_AT_") ? RawAttribute.of(line.text(start, end)) : null;
        if (attribute == null) {
            return;
        }
        int form = line.find('[', end) + 1;
        int value = line.find('(', line.find(']', form)) + 1;
        // A value of several lines has its closing bracket on another one.
        int endOfValue = line.at(line.length() - 1) == ')' ? line.length() - 1 : line.length();
        if (value > endOfValue) {
            throw new IOException("llvm-dwarfdump prints no value: " + line.text());
        }
        value(attribute, line.text(form, line.endOfWord(form)), line.text(value, endOfValue), dwarf);
    }

    private static void value(RawAttribute attribute, String form, String value, RawDwarf dwarf) {
        if (attribute == RawAttribute.NAME) {
            dwarf.name(unescaped(value.substring(1, value.length() - 1)));
        } else if (attribute.isReference()) {
            long to = hex(value.substring(2).split(" ", 2)[0]);
            if (form.equals("DW_FORM_ref_sig8")) {
                dwarf.signature(attribute, to);
            } else {
                dwarf.reference(attribute, to);
            }
        } else if (form.startsWith("DW_FORM_flag")) {
            dwarf.number(attribute, value.equals("true") || value.equals("0x01") ? 1 : 0);
        } else {
            dwarf.number(attribute, form.startsWith("DW_FORM_ref") ? RawDies.NOT_A_NUMBER : number(value));
        }
    }

    /** Takes back how the tool writes bytes that are not printable ASCII: {@code \"}, {@code \t}, {@code \302}. */
    private static String unescaped(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\') {
                bytes.write(c);
            } else if (Character.isDigit(text.charAt(i + 1))) {
                bytes.write(Integer.parseInt(text.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                char escaped = text.charAt(++i);
                bytes.write(escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static long number(String value) {
        if (value.startsWith("DW_ATE_signed")) {
            return value.equals("DW_ATE_signed_char") ? RawDies.SIGNED_CHAR : RawDies.SIGNED;
        }
        if (value.startsWith("DW_LANG_Fortran")) {
            return Dw.DW_LANG_Fortran08;
        }
        if (value.startsWith("DW_LANG_Ada")) {
            return Dw.DW_LANG_Ada95;
        }
        Matcher hex = HEX.matcher(value);
        if (hex.matches()) {
            return hex(hex.group(1));
        }
        if (DECIMAL.matcher(value).matches()) {
            return value.startsWith("-") ? Long.parseLong(value) : Long.parseUnsignedLong(value);
        }
        Matcher offset = OFFSET.matcher(value);
        return offset.matches() ? hex(offset.group(1)) : RawDies.NOT_A_NUMBER;
    }

    private static long hex(String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }
}
