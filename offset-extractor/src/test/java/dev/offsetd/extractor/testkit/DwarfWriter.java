package dev.offsetd.extractor.testkit;

import static dev.offsetd.extractor.testkit.Dw.*;

import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Blob;
import dev.offsetd.extractor.testkit.DwarfTree.Code;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Label;
import dev.offsetd.extractor.testkit.DwarfTree.Num;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.StrOffsetsBase;
import dev.offsetd.extractor.testkit.DwarfTree.Styled;
import dev.offsetd.extractor.testkit.DwarfTree.Text;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfTree.Verbatim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brings a {@link DwarfTree} into {@code .debug_info}, {@code .debug_abbrev} and the string sections (and
 * {@code .debug_types}, where version 4 keeps its type units). All units share one abbreviation table. References that
 * change the size of what they stand in are settled by writing again until nothing moves.
 */
public final class DwarfWriter {

    private static final int MAX_PASSES = 20;

    private final DwarfStyle style;
    private final Map<String, Long> labels;
    private final Map<String, Long> unitsOfLabels;
    private final boolean mustResolve;

    private final Map<String, Long> newLabels = new HashMap<>();
    private final Map<String, Long> newUnitsOfLabels = new HashMap<>();
    private final BinaryWriter info;
    private final BinaryWriter types;
    private final BinaryWriter strOffsets;
    private final StringTable str;
    private final StringTable lineStr;
    private final Map<Abbreviation, Long> abbreviations = new LinkedHashMap<>();
    private int siblings;

    /** The tree's units in this style. */
    public static DwarfSections write(DwarfStyle style, Unit... units) {
        Map<String, Long> labels = Map.of();
        Map<String, Long> unitsOfLabels = Map.of();
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            DwarfWriter writer = new DwarfWriter(style, labels, unitsOfLabels, pass > 0);
            for (Unit unit : units) {
                writer.unit(unit);
            }
            if (writer.newLabels.equals(labels)) {
                return writer.sections();
            }
            labels = writer.newLabels;
            unitsOfLabels = writer.newUnitsOfLabels;
        }
        throw new IllegalArgumentException("the offsets of the tree do not settle in " + MAX_PASSES + " passes");
    }

    private DwarfWriter(
            DwarfStyle style, Map<String, Long> labels, Map<String, Long> unitsOfLabels, boolean mustResolve) {
        this.style = style;
        this.labels = labels;
        this.unitsOfLabels = unitsOfLabels;
        this.mustResolve = mustResolve;
        this.info = new BinaryWriter(style.order());
        this.types = new BinaryWriter(style.order());
        this.strOffsets = new BinaryWriter(style.order());
        this.str = new StringTable();
        this.lineStr = new StringTable();
    }

    private DwarfSections sections() {
        Map<String, byte[]> sections = new LinkedHashMap<>();
        sections.put(".debug_info", info.toBytes());
        sections.put(".debug_abbrev", abbreviationTable());
        putUnlessEmpty(sections, ".debug_types", types);
        putUnlessEmpty(sections, ".debug_str", str.bytes);
        putUnlessEmpty(sections, ".debug_line_str", lineStr.bytes);
        putUnlessEmpty(sections, ".debug_str_offsets", strOffsets);
        return new DwarfSections(style, sections, newLabels);
    }

    private static void putUnlessEmpty(Map<String, byte[]> sections, String name, BinaryWriter bytes) {
        if (bytes.size() > 0) {
            sections.put(name, bytes.toBytes());
        }
    }

    private byte[] abbreviationTable() {
        BinaryWriter table = new BinaryWriter(style.order());
        abbreviations.forEach((abbreviation, code) -> {
            table.uleb(code).uleb(abbreviation.tag).u8(abbreviation.hasChildren ? 1 : 0);
            for (Specification specification : abbreviation.specifications) {
                table.uleb(specification.attribute).uleb(specification.form);
                if (specification.implicitConst != null) {
                    table.sleb(specification.implicitConst);
                }
            }
            table.u8(0).u8(0);
        });
        return table.u8(0).toBytes();
    }

    private void unit(Unit unit) {
        Integer own = unit.version();
        DwarfStyle unitStyle = own == null ? style : style.withVersion(own);
        boolean isType = unit.unitType() == DW_UT_type || unit.unitType() == DW_UT_split_type;
        BinaryWriter out = isType && unitStyle.version() == 4 ? types : info;
        int headerSize = headerSize(unitStyle, unit.unitType());
        UnitWriter writer = new UnitWriter(unitStyle, out.size(), headerSize, unit.root());
        writer.die(unit.root());

        int lengthSize = unitStyle.offsetSize() == 8 ? 12 : 4;
        if (unitStyle.offsetSize() == 8) {
            out.u32(0xffff_ffffL);
        }
        out.integer(headerSize - lengthSize + (long) writer.body.size(), unitStyle.offsetSize());
        out.u16(unitStyle.version());
        if (unitStyle.version() >= 5) {
            out.u8(unit.unitType()).u8(unitStyle.addressSize()).integer(0, unitStyle.offsetSize());
            if (unit.unitType() != DW_UT_compile && unit.unitType() != DW_UT_partial) {
                out.u64(unit.id());
            }
        } else {
            out.integer(0, unitStyle.offsetSize()).u8(unitStyle.addressSize());
            if (isType) {
                out.u64(unit.id());
            }
        }
        if (isType) {
            String label = unit.typeLabel() == null ? "" : unit.typeLabel();
            out.integer(resolve(label) - writer.unitOffset, unitStyle.offsetSize());
        }
        out.bytes(writer.body.toBytes());
        writer.writeStrOffsets();
    }

    /** Bytes of a unit header (DWARF 5 §7.5.1). */
    private static int headerSize(DwarfStyle style, int unitType) {
        boolean isType = unitType == DW_UT_type || unitType == DW_UT_split_type;
        int size = (style.offsetSize() == 8 ? 12 : 4) + 2 + style.offsetSize() + 1;
        if (style.version() >= 5) {
            size += 1 + (unitType == DW_UT_compile || unitType == DW_UT_partial ? 0 : 8);
        } else if (isType) {
            size += 8;
        }
        return isType ? size + style.offsetSize() : size;
    }

    private long resolve(String label) {
        Long offset = labels.get(label);
        if (offset == null && mustResolve) {
            throw new IllegalArgumentException("no DIE is labelled " + label + "; there are " + labels.keySet());
        }
        return offset == null ? 0 : offset;
    }

    /** One unit on its way into bytes. */
    private final class UnitWriter {
        private final DwarfStyle style;
        private final long unitOffset;
        private final long strOffsetsBase;
        private final List<String> indexedStrings = new ArrayList<>();
        private final BinaryWriter body;
        private final long bodyOffset;
        private final boolean usesIndexedStrings;

        UnitWriter(DwarfStyle style, long unitOffset, int headerSize, Die root) {
            this.style = style;
            this.unitOffset = unitOffset;
            // The header of the unit's string offsets is 8 bytes long, or 16 in the 64-bit format.
            this.strOffsetsBase = strOffsets.size() + 2L * style.offsetSize();
            this.body = new BinaryWriter(style.order());
            this.bodyOffset = unitOffset + headerSize;
            this.usesIndexedStrings = usesIndexedStrings(root);
        }

        private boolean usesIndexedStrings(Die die) {
            return flattened(die.parts()).stream().anyMatch(part -> switch (part) {
                case Attribute attribute -> attribute.value() instanceof Text && isIndex(formOf(attribute));
                case Die child -> usesIndexedStrings(child);
                default -> false;
            });
        }

        private static boolean isIndex(int form) {
            return form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4);
        }

        void writeStrOffsets() {
            if (indexedStrings.isEmpty()) {
                return;
            }
            // DWARF 5 §7.26: unit_length, version, padding, then the offsets.
            if (style.offsetSize() == 8) {
                strOffsets.u32(0xffff_ffffL);
            }
            strOffsets.integer(4L + (long) indexedStrings.size() * style.offsetSize(), style.offsetSize());
            strOffsets.u16(5).u16(0);
            for (String text : indexedStrings) {
                strOffsets.integer(str.offsetOf(text), style.offsetSize());
            }
        }

        void die(Die die) {
            List<Attribute> attributes = new ArrayList<>();
            List<Part> children = new ArrayList<>();
            Long code = null;
            long dieOffset = bodyOffset + body.size();
            for (Part part : flattened(die.parts())) {
                switch (part) {
                    case Attribute attribute -> {
                        if (usesIndexedStrings || !(attribute.value() instanceof StrOffsetsBase)) {
                            attributes.add(attribute);
                        }
                    }
                    case Label label -> define(label.name(), dieOffset);
                    case Code given -> code = given.code();
                    case Die child -> children.add(child);
                    case Verbatim child -> children.add(child);
                    case Styled styled -> throw new IllegalStateException("unresolved " + styled);
                }
            }
            boolean isRoot = body.size() == 0;
            String sibling = null;
            if (style.siblings() && !children.isEmpty() && !isRoot && !has(attributes, DW_AT_sibling)) {
                sibling = "sibling " + siblings++;
                attributes.add(new Attribute(DW_AT_sibling, DW_FORM_ref4, new Ref(sibling)));
            }
            BinaryWriter values = new BinaryWriter(style.order());
            List<Specification> specifications = new ArrayList<>();
            for (Attribute attribute : attributes) {
                int form = formOf(attribute);
                if (style.indirect() && form != DW_FORM_implicit_const) {
                    specifications.add(new Specification(attribute.attribute(), DW_FORM_indirect, null));
                    values.uleb(form);
                } else {
                    Long implicit = form == DW_FORM_implicit_const ? number(attribute) : null;
                    specifications.add(new Specification(attribute.attribute(), form, implicit));
                }
                value(values, form, attribute);
            }
            body.uleb(codeOf(new Abbreviation(code, die.tag(), !children.isEmpty(), List.copyOf(specifications))));
            body.bytes(values.toBytes());
            if (!children.isEmpty()) {
                for (Part child : children) {
                    if (child instanceof Verbatim verbatim) {
                        body.bytes(verbatim.bytes().bytes());
                    } else if (child instanceof Die nested) {
                        die(nested);
                    }
                }
                body.u8(0);
            }
            if (sibling != null) {
                define(sibling, bodyOffset + body.size());
            }
        }

        private List<Part> flattened(List<Part> parts) {
            List<Part> flat = new ArrayList<>();
            for (Part part : parts) {
                if (part instanceof Styled styled) {
                    flat.addAll(flattened(styled.parts().apply(style)));
                } else {
                    flat.add(part);
                }
            }
            return flat;
        }

        private int formOf(Attribute attribute) {
            Integer form = attribute.form();
            if (form != null) {
                return form;
            }
            return switch (attribute.value()) {
                case Num number -> number.value() < 0 ? DW_FORM_sdata : DW_FORM_udata;
                case Text text -> text.text().length() < 4 ? DW_FORM_string : DW_FORM_strp;
                case Blob ignored -> style.version() >= 4 ? DW_FORM_exprloc : DW_FORM_block1;
                case Ref ref ->
                    unitsOfLabels.getOrDefault(ref.label(), unitOffset) == unitOffset ? DW_FORM_ref4 : DW_FORM_ref_addr;
                case StrOffsetsBase ignored -> DW_FORM_sec_offset;
            };
        }

        private void value(BinaryWriter out, int form, Attribute attribute) {
            switch (attribute.value()) {
                case Num number -> fixed(out, form, number.value());
                case StrOffsetsBase ignored -> fixed(out, form, strOffsetsBase);
                case Text text -> text(out, form, text.text());
                case Blob blob -> block(out, form, blob.bytes());
                case Ref ref -> {
                    long target = resolve(ref.label());
                    fixed(out, form, form == DW_FORM_ref_addr ? target : target - unitOffset);
                }
            }
        }

        private void text(BinaryWriter out, int form, String text) {
            switch (form) {
                case DW_FORM_string -> out.string(text);
                case DW_FORM_strp -> fixed(out, form, str.offsetOf(text));
                case DW_FORM_line_strp -> fixed(out, form, lineStr.offsetOf(text));
                default -> {
                    if (!indexedStrings.contains(text)) {
                        indexedStrings.add(text);
                    }
                    fixed(out, form, indexedStrings.indexOf(text));
                }
            }
        }

        private void block(BinaryWriter out, int form, byte[] bytes) {
            switch (form) {
                case DW_FORM_block1 -> out.u8(bytes.length);
                case DW_FORM_block2 -> out.u16(bytes.length);
                case DW_FORM_block4 -> out.u32(bytes.length);
                case DW_FORM_block, DW_FORM_exprloc -> out.uleb(bytes.length);
                default -> {}
            }
            out.bytes(bytes);
        }

        /** A number in a form of numbers (DWARF 5 §7.5.6). */
        private void fixed(BinaryWriter out, int form, long value) {
            switch (form) {
                case DW_FORM_data1, DW_FORM_flag, DW_FORM_ref1, DW_FORM_strx1, DW_FORM_addrx1 -> out.u8(value);
                case DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2 -> out.u16(value);
                case DW_FORM_strx3, DW_FORM_addrx3 -> out.integer(value, 3);
                case DW_FORM_data4, DW_FORM_ref4, DW_FORM_ref_sup4, DW_FORM_strx4, DW_FORM_addrx4 -> out.u32(value);
                case DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sup8, DW_FORM_ref_sig8 -> out.u64(value);
                case DW_FORM_data16 -> out.integer(value, 16);
                case DW_FORM_sdata -> out.sleb(value);
                case DW_FORM_udata,
                        DW_FORM_ref_udata,
                        DW_FORM_strx,
                        DW_FORM_addrx,
                        DW_FORM_loclistx,
                        DW_FORM_rnglistx -> out.uleb(value);
                case DW_FORM_addr -> out.integer(value, style.addressSize());
                case DW_FORM_strp,
                        DW_FORM_line_strp,
                        DW_FORM_sec_offset,
                        DW_FORM_strp_sup,
                        DW_FORM_GNU_ref_alt,
                        DW_FORM_GNU_strp_alt -> out.integer(value, style.offsetSize());
                // DWARF 2 §7.5.4 gives it the size of an address, later versions that of an offset.
                case DW_FORM_ref_addr ->
                    out.integer(value, style.version() == 2 ? style.addressSize() : style.offsetSize());
                case DW_FORM_flag_present, DW_FORM_implicit_const -> {}
                default ->
                    throw new IllegalArgumentException("form 0x" + Integer.toHexString(form) + " holds no number");
            }
        }

        private void define(String label, long offset) {
            if (newLabels.put(label, offset) != null) {
                throw new IllegalArgumentException("two DIEs are labelled " + label);
            }
            newUnitsOfLabels.put(label, unitOffset);
        }
    }

    private long codeOf(Abbreviation abbreviation) {
        return abbreviations.computeIfAbsent(
                abbreviation, added -> added.code != null ? added.code : (long) abbreviations.size() + 1);
    }

    private static boolean has(List<Attribute> attributes, int code) {
        return attributes.stream().anyMatch(attribute -> attribute.attribute() == code);
    }

    private static long number(Attribute attribute) {
        if (attribute.value() instanceof Num number) {
            return number.value();
        }
        throw new IllegalArgumentException("DW_FORM_implicit_const holds a number, not " + attribute.value());
    }

    /** An abbreviation declaration (DWARF 5 §7.5.3); its code is null where the writer counts. */
    private record Abbreviation(
            @Nullable Long code, int tag, boolean hasChildren, List<Specification> specifications) {}

    private record Specification(
            int attribute, int form, @Nullable Long implicitConst) {}

    /** A string section: each text once. */
    private final class StringTable {
        private final BinaryWriter bytes = new BinaryWriter(style.order());
        private final Map<String, Long> offsets = new HashMap<>();

        long offsetOf(String text) {
            Long known = offsets.get(text);
            if (known != null) {
                return known;
            }
            long offset = bytes.size();
            offsets.put(text, offset);
            bytes.string(text);
            return offset;
        }
    }
}
