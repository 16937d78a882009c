package dev.offsetd.query.overlay;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.attribute;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.bitField;
import static dev.offsetd.extractor.testkit.DwarfTree.blob;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.declaration;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.memberLocation;
import static dev.offsetd.extractor.testkit.DwarfTree.name;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.type;
import static dev.offsetd.extractor.testkit.DwarfTree.typedef;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;

import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import java.util.ArrayList;
import java.util.List;

/** Types of every sort that a pin can be about. */
final class SomeTypes {

    private SomeTypes() {}

    static Unit[] units() {
        return new Unit[] {
            unit(
                    baseType("int", 4, DW_ATE_signed),
                    baseType("unsigned int", 4, DW_ATE_unsigned),
                    baseType("long int", 8, DW_ATE_signed),
                    baseType("char", 1, DW_ATE_signed_char),
                    die(DW_TAG_pointer_type, label("char *"), byteSize(8), type("char")),
                    typedef("VALUE", "long int"),
                    struct(
                            "frame",
                            32,
                            member("pc", "char *", 0),
                            member("sp", "char *", 8),
                            member("self", "VALUE", 16),
                            bitField("kind", "unsigned int", 4, 192, 3),
                            bitField("depth", "unsigned int", 4, 195, 5)),
                    typedef("frame_t", "frame"),
                    die(
                            DW_TAG_array_type,
                            label("frame [2]"),
                            type("frame"),
                            die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 2))),
                    struct(
                            "thread",
                            112,
                            member("id", "int", 0),
                            member("top", "frame_t", 8),
                            member("frames", "frame [2]", 40),
                            member("state", "int", 104)),
                    struct(
                            "value",
                            24,
                            member("tag", "int", 0),
                            die(
                                    DW_TAG_member,
                                    type("payload"),
                                    memberLocation(8),
                                    attribute(DW_AT_artificial, DW_FORM_flag_present, 1)),
                            member("end", "int", 16)),
                    die(
                            DW_TAG_union_type,
                            label("payload"),
                            byteSize(8),
                            member("whole", "long int", 0),
                            member("half", "int", 0)),
                    die(
                            DW_TAG_structure_type,
                            label("pair"),
                            byteSize(8),
                            member("first", "int", 0),
                            member("second", "int", 4)),
                    typedef("pair_t", "pair"),
                    die(
                            DW_TAG_structure_type,
                            label("inner"),
                            byteSize(8),
                            member("low", "int", 0),
                            member("high", "int", 4)),
                    struct("outer", 24, member("id", "int", 0), member("in", "inner", 8)),
                    die(DW_TAG_pointer_type, label("list *"), byteSize(8), type("list")),
                    struct("list", 16, member("next", "list *", 0), member("length", "int", 8)),
                    die(
                            DW_TAG_union_type,
                            label("number"),
                            name("number"),
                            byteSize(8),
                            member("narrow", "int", 0),
                            member("wide", "long int", 0)),
                    struct("both", 8, member("x", "int", 0), member("y", "int", 4)),
                    die(
                            DW_TAG_structure_type,
                            label("flag"),
                            byteSize(8),
                            member("set", "int", 0),
                            member("by", "int", 4)),
                    die(DW_TAG_volatile_type, label("volatile flag"), type("flag")),
                    typedef("flag_t", "volatile flag"),
                    struct("mixed", 16, member("id", "int", 0), member("data", "inner", 8)),
                    die(DW_TAG_structure_type, label("closed"), name("closed"), declaration()),
                    die(
                            DW_TAG_variable,
                            name("main_thread"),
                            type("thread"),
                            attribute(DW_AT_location, DW_FORM_exprloc, blob(DW_OP_addr, 0, 0, 0, 0, 0, 0, 0x40, 0)))),
            unit(
                    "other.c",
                    DW_LANG_C99,
                    unlabelled("mixed", 16, member("id", "int", 0), member("data", "long int", 8)),
                    unlabelled("both", 16, member("x", "int", 0), member("y", "int", 8))),
            unit(
                    "shape.cpp",
                    DW_LANG_C_plus_plus_14,
                    die(
                            DW_TAG_namespace,
                            name("ui"),
                            struct("base", 8, member("colour", "int", 0)),
                            die(
                                    DW_TAG_class_type,
                                    label("shape"),
                                    name("shape"),
                                    byteSize(16),
                                    die(DW_TAG_inheritance, type("base"), memberLocation(0)),
                                    member("edges", "int", 8)),
                            die(
                                    DW_TAG_class_type,
                                    name("widget"),
                                    byteSize(24),
                                    die(
                                            DW_TAG_inheritance,
                                            type("base"),
                                            attribute(DW_AT_virtuality, DW_FORM_data1, 1),
                                            attribute(
                                                    DW_AT_data_member_location, DW_FORM_exprloc, blob(DW_OP_deref))))))
        };
    }

    /** A struct without a label. */
    private static Die unlabelled(String name, long bytes, Part... members) {
        List<Part> parts = new ArrayList<>(List.of(name(name), byteSize(bytes)));
        parts.addAll(List.of(members));
        return die(DW_TAG_structure_type, parts.toArray(Part[]::new));
    }
}
