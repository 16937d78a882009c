package dev.offsetd.server.testkit;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_AT_const_value;
import static dev.offsetd.extractor.testkit.Dw.DW_AT_upper_bound;
import static dev.offsetd.extractor.testkit.Dw.DW_FORM_data1;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_array_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_enumeration_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_enumerator;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_member;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_pointer_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_subrange_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_union_type;
import static dev.offsetd.extractor.testkit.DwarfTree.attribute;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.bitField;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.memberLocation;
import static dev.offsetd.extractor.testkit.DwarfTree.name;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.type;
import static dev.offsetd.extractor.testkit.DwarfTree.typedef;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A build with a type of each kind: {@code point}, the enumeration {@code colour}, the union {@code either}, and
 * {@code line} with bit-fields, an array, an unnamed union, a pointer and holes, which {@code line_t} names too.
 */
public final class ShapesBuild {

    /** Its build-id. */
    public static final BuildId ID = BuildId.parse("5ba9e5000000000000000000000000000000cafe");

    private ShapesBuild() {}

    /** Puts its debug file where a local folder has it. */
    public static void putInto(Path folder) throws IOException {
        String hex = ID.toString();
        Path place = folder.resolve(".build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        Files.write(place, debugFile());
    }

    private static byte[] debugFile() {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                struct("point", 12, member("x", "int", 0), member("y", "int", 8)),
                                die(
                                        DW_TAG_array_type,
                                        label("points"),
                                        type("point"),
                                        die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, DW_FORM_data1, 1))),
                                die(
                                        DW_TAG_enumeration_type,
                                        label("colour"),
                                        name("colour"),
                                        byteSize(4),
                                        die(
                                                DW_TAG_enumerator,
                                                name("RED"),
                                                attribute(DW_AT_const_value, DW_FORM_data1, 0)),
                                        die(
                                                DW_TAG_enumerator,
                                                name("GREEN"),
                                                attribute(DW_AT_const_value, DW_FORM_data1, 7))),
                                die(
                                        DW_TAG_union_type,
                                        label("either"),
                                        name("either"),
                                        byteSize(12),
                                        member("word", "int", 0),
                                        member("place", "point", 0)),
                                die(DW_TAG_union_type, label("unnamed"), byteSize(4), member("low", "int", 0)),
                                die(DW_TAG_pointer_type, label("pointer"), byteSize(8), type("point")),
                                struct(
                                        "line",
                                        88,
                                        member("from", "point", 0),
                                        member("to", "point", 12),
                                        bitField("flags", "int", 4, 192, 3),
                                        bitField("ready", "int", 4, 195, 1),
                                        member("mode", "colour", 28),
                                        member("as", "either", 32),
                                        member("ends", "points", 44),
                                        die(DW_TAG_member, type("unnamed"), memberLocation(72)),
                                        member("next", "pointer", 80)),
                                typedef("line_t", "line")))
                .toElf()
                .buildId(ID.toBytes())
                .toBytes();
    }
}
