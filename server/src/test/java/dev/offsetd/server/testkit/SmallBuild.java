package dev.offsetd.server.testkit;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_AT_GNU_dwo_id;
import static dev.offsetd.extractor.testkit.Dw.DW_AT_dwo_name;
import static dev.offsetd.extractor.testkit.Dw.DW_FORM_data8;
import static dev.offsetd.extractor.testkit.Dw.DW_FORM_string;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_structure_type;
import static dev.offsetd.extractor.testkit.DwarfTree.attribute;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.declaration;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.name;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import tools.jackson.databind.JsonNode;

/** A build of a few hundred bytes with {@code struct point {int x; int y;}} and {@code struct line {int from; int to;}}. */
public final class SmallBuild {

    public static final BuildId ID = BuildId.parse("0123456789abcdef0123456789abcdef01234567");

    /** A build that no source has. */
    public static final BuildId UNKNOWN_ID = BuildId.parse("ffffffffffffffffffffffffffffffffffffffff");

    private SmallBuild() {}

    public static byte[] debugFile() {
        return debugFile(ID);
    }

    /** Returns the same debug file for another build. */
    public static byte[] debugFile(BuildId id) {
        return sections().toElf().buildId(id.toBytes()).toBytes();
    }

    /**
     * Returns a file of this build with one more struct. It is richer than {@link #debugFile()}, and otherwise equal.
     */
    public static byte[] richerDebugFile() {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                                struct("line", 8, member("from", "int", 0), member("to", "int", 4)),
                                struct("circle", 8, member("centre", "int", 0), member("radius", "int", 4))))
                .toElf()
                .buildId(ID.toBytes())
                .toBytes();
    }

    /**
     * Returns a file of this build with the members of {@code point} swapped. It is as rich as {@link #debugFile()}.
     */
    public static byte[] otherLayouts() {
        return otherLayouts(ID);
    }

    /** Returns the same file for another build. */
    public static byte[] otherLayouts(BuildId id) {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                struct("point", 8, member("y", "int", 0), member("x", "int", 4)),
                                struct("line", 8, member("from", "int", 0), member("to", "int", 4))))
                .toElf()
                .buildId(id.toBytes())
                .toBytes();
    }

    /** Returns {@link #richerDebugFile()} for another processor. */
    public static byte[] otherMachine() {
        byte[] file = richerDebugFile();
        // gABI, ELF header: e_machine is at byte 18; 183 is EM_AARCH64.
        file[18] = (byte) 183;
        return file;
    }

    /** Returns the debug file with a trailing byte: different bytes, equal layouts. */
    public static byte[] paddedDebugFile() {
        byte[] file = debugFile();
        return Arrays.copyOf(file, file.length + 1);
    }

    /** Returns a file of this build with a line table of 1 MiB, so that its other sections are a small part of it. */
    public static byte[] largeDebugFile(BuildId id) {
        return sections()
                .toElf()
                .section(".debug_line", new byte[1 << 20])
                .buildId(id.toBytes())
                .toBytes();
    }

    /** Returns a file of this build that is stripped of debug information. */
    public static byte[] withoutDebugInfo() {
        return sections()
                .without(".debug_info")
                .without(".debug_abbrev")
                .toElf()
                .buildId(ID.toBytes())
                .toBytes();
    }

    /**
     * Returns a file of this build whose first unit has a version that does not exist, so that the error is at a known
     * offset.
     */
    public static byte[] malformed() {
        return malformed(ID);
    }

    /** Returns the same file for another build. */
    public static byte[] malformed(BuildId id) {
        // DWARF 5 section 7.5.1: the version follows the unit's length of 4 bytes.
        return sections()
                .patched(".debug_info", 4, 99, 2)
                .toElf()
                .buildId(id.toBytes())
                .toBytes();
    }

    /**
     * Returns a file of this build that is {@link #debugFile()} and a second unit, with {@code struct circle}, whose last DIE
     * has no abbreviation.
     */
    public static byte[] damaged() {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                        struct("line", 8, member("from", "int", 0), member("to", "int", 4))),
                unit(struct("circle", 8), die(DW_TAG_structure_type, label("last"), name("last"), byteSize(4))));
        return sections.patched(".debug_info", sections.offsetOf("last"), 0x7f, 1)
                .toElf()
                .buildId(ID.toBytes())
                .toBytes();
    }

    /**
     * Returns a file of this build with {@code struct point}, and {@code struct Foo} that is defined in a module, as {@code
     * clang -gmodules} writes it.
     */
    public static byte[] withAModule() {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                                die(DW_TAG_structure_type, name("Foo"), declaration())),
                        unit(
                                attribute(DW_AT_GNU_dwo_id, DW_FORM_data8, 0x1234),
                                attribute(DW_AT_dwo_name, DW_FORM_string, "cache/FooMod.pcm")))
                .toElf()
                .buildId(ID.toBytes())
                .toBytes();
    }

    /** Returns {@link #debugFile()} with a function in {@code .dynsym} and a {@code .symtab} whose names are nowhere. */
    public static byte[] withADamagedSymbolTable() {
        return withSymbols(2457);
    }

    /** Returns {@link #debugFile()} with a function in {@code .dynsym} and in {@code .symtab}, whose names are cut off. */
    public static byte[] withDamagedSymbolNames() {
        return withSymbols(5);
    }

    /** @param strings section with the names of {@code .symtab} */
    private static byte[] withSymbols(int strings) {
        byte[] names = "\0exported\0".getBytes(StandardCharsets.US_ASCII);
        byte[] symbols = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .bytes(new byte[24])
                .u32(1)
                .u8(0x12)
                .u8(0)
                .u16(1)
                .u64(0x1000)
                .u64(16)
                .toBytes();
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .code(".text", 0x1000, 0x1000)
                .section(".dynstr", 3, 0, 0, 0, names)
                .section(".dynsym", 11, 2, 1, 24, symbols)
                .section(".symtab", 2, strings, 1, 24, symbols)
                .section(".strtab", 3, 0, 0, 0, new byte[] {0, 'e'})
                .section(".debug_info", sections().section(".debug_info"))
                .section(".debug_abbrev", sections().section(".debug_abbrev"))
                .section(".debug_str", sections().section(".debug_str"))
                .buildId(ID.toBytes())
                .toBytes();
    }

    /** Returns {@link #debugFile()} with a second unit, of a version that DWARF does not have yet. */
    public static byte[] withAUnitOfALaterVersion() {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                        struct("line", 8, member("from", "int", 0), member("to", "int", 4))),
                unit(struct("circle", 8)));
        // DWARF 5 §7.5.1: a unit begins with the length of its rest, in four bytes, and its version.
        int length = ByteBuffer.wrap(sections.section(".debug_info"))
                .order(ByteOrder.LITTLE_ENDIAN)
                .getInt();
        return sections.patched(".debug_info", 4L + length + 4, 9, 2)
                .toElf()
                .buildId(ID.toBytes())
                .toBytes();
    }

    /** Returns a shared library of this build with the same structs, and with functions and lines. */
    public static byte[] withCode(BuildId id, Path scratch) throws IOException {
        Path source = Files.writeString(scratch.resolve(id + ".c"), """
                struct point { int x, y; } point;
                struct line { int from, to; } line;
                int code(void) { return point.x + line.to; }
                """);
        Path library = scratch.resolve(id + ".so");
        RequiredTool.require("gcc")
                .output("-g", "-O1", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=0x" + id, source, "-o", library);
        return Files.readAllBytes(library);
    }

    /** Asserts that a server has the functions and lines of {@link #withCode}. */
    public static void assertHasLines(TestServer server, BuildId id) {
        HttpResponse<String> symbols = server.get("/v1/symbols/" + id + "?names=code");
        assertThat(symbols.statusCode()).as(symbols.body()).isEqualTo(200);
        String address = Json.of(symbols)
                .path("names")
                .path("code")
                .path("symbols")
                .path(0)
                .path("value")
                .asString();
        HttpResponse<String> lines = server.get("/v1/symbolize/" + id + "?addresses=" + address, "Prefer", "wait=30");
        assertThat(lines.statusCode()).as(lines.body()).isEqualTo(200);
        JsonNode frame =
                Json.of(lines).path("addresses").path(address).path("frames").path(0);
        assertThat(frame.path("function").asString()).as(lines.body()).isEqualTo("code");
        assertThat(frame.path("line").asInt()).as(lines.body()).isEqualTo(3);
    }

    /** Adds a file to a local folder as the debug file of {@link #ID}. */
    public static void putInto(Path folder, byte[] file) throws IOException {
        Path place = placeIn(folder);
        Files.createDirectories(place.getParent());
        Files.write(place, file);
    }

    /** Removes that file. */
    public static void removeFrom(Path folder) throws IOException {
        Files.deleteIfExists(placeIn(folder));
    }

    private static Path placeIn(Path folder) {
        String hex = ID.toString();
        return folder.resolve(".build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
    }

    private static DwarfSections sections() {
        return DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                        struct("line", 8, member("from", "int", 0), member("to", "int", 4))));
    }
}
