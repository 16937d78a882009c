package dev.offsetd.server.browser;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A build whose names are markup, so that a page which shows one as it is would run it. */
final class HostileBuild {

    static final BuildId ID = BuildId.parse("bad0000000000000000000000000000000000bad");

    /** Name of a type. */
    static final String TYPE = "<script>alert(1)</script>";

    /** Name of its first member. */
    static final String MEMBER = "\"><img src=x onerror=alert(2)>";

    private HostileBuild() {}

    /** Puts its debug file where a local folder has it. */
    static void putInto(Path folder) throws IOException {
        String hex = ID.toString();
        Path place = folder.resolve(".build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        Files.write(
                place,
                DwarfWriter.write(
                                DwarfStyle.DEFAULT,
                                unit(
                                        baseType("int", 4, DW_ATE_signed),
                                        struct(TYPE, 8, member(MEMBER, "int", 0), member("javascript:alert(3)", "int", 4))))
                        .toElf()
                        .buildId(ID.toBytes())
                        .toBytes());
    }
}
