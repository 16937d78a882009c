package dev.offsetd.server.browser;

import static dev.offsetd.extractor.testkit.Dw.DW_AT_upper_bound;
import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_ATE_unsigned;
import static dev.offsetd.extractor.testkit.Dw.DW_FORM_data1;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_array_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_namespace;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_pointer_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_structure_type;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_subrange_type;
import static dev.offsetd.extractor.testkit.DwarfTree.attribute;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.declaration;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.name;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.type;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A C++ build whose {@value #SHORT_TYPE} has nested structs, holes and a member of unknown size, and whose other type has a
 * name of several hundred characters, as templates do.
 */
final class LongNamesBuild {

    static final BuildId ID = BuildId.parse("c0ffee00000000000000000000000000000000c9");

    private static final String STRING = "std::basic_string<char, std::char_traits<char>, std::allocator<char> >";

    static final String SHORT_TYPE = "net::Session";

    /** Name of a type. */
    static final String LONG_TYPE = "std::_Hashtable<" + STRING + ", std::pair<const " + STRING
            + ", net::Session>, std::allocator<std::pair<const " + STRING
            + ", net::Session> >, std::__detail::_Select1st, std::equal_to<" + STRING + " >, std::hash<" + STRING + " > >";

    /** {@code DW_LANG_C_plus_plus_14}. */
    private static final int CPP_14 = 0x21;

    private LongNamesBuild() {}

    /** Puts its debug file where a local folder has it. */
    static void putInto(Path folder) throws IOException {
        String hex = ID.toString();
        Path place = folder.resolve(".build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        Files.write(place, debugFile());
    }

    /** Returns the path of the page of one of its types. */
    static String path(String type) {
        return "/admin/builds/" + ID + "/types?name=" + TestServer.escape(type);
    }

    private static byte[] debugFile() {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                "src/net/session.cc",
                                CPP_14,
                                baseType("int", 4, DW_ATE_signed),
                                baseType("unsigned long", 8, DW_ATE_unsigned),
                                die(
                                        DW_TAG_array_type,
                                        label("buffer"),
                                        type("int"),
                                        die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, DW_FORM_data1, 39))),
                                die(
                                        DW_TAG_namespace,
                                        name("net"),
                                        die(DW_TAG_structure_type, label("Cipher"), name("Cipher"), declaration()),
                                        die(DW_TAG_pointer_type, label("pointer"), byteSize(8), type("Cipher")),
                                        struct(
                                                "Timeouts",
                                                24,
                                                member("idle_seconds", "int", 0),
                                                member("deadline", "unsigned long", 8),
                                                member("retries", "int", 16)),
                                        struct(
                                                "Endpoint",
                                                48,
                                                member("port", "int", 0),
                                                member("address", "unsigned long", 8),
                                                member("timeouts", "Timeouts", 16),
                                                member("family", "int", 40)),
                                        struct(
                                                "Session",
                                                352,
                                                member("state", "int", 0),
                                                member("local", "Endpoint", 8),
                                                member("remote", "Endpoint", 56),
                                                member("cipher", "pointer", 104),
                                                member("cipher_state", "Cipher", 112),
                                                member("flags", "int", 144),
                                                member("received", "buffer", 152),
                                                member("bytes_received", "unsigned long", 320),
                                                member("bytes_sent", "unsigned long", 328))),
                                die(
                                        DW_TAG_namespace,
                                        name("std"),
                                        struct(
                                                LONG_TYPE.substring("std::".length()),
                                                56,
                                                member("_M_buckets", "pointer", 0),
                                                member("_M_bucket_count", "unsigned long", 8),
                                                member("_M_element_count", "unsigned long", 24)))))
                .toElf()
                .buildId(ID.toBytes())
                .toBytes();
    }
}
