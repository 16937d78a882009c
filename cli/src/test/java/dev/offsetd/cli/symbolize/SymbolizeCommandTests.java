package dev.offsetd.cli.symbolize;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.LineProgramWriter;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code symbolize}. */
class SymbolizeCommandTests {

    @TempDir
    private Path folder;

    private String file = "";

    @BeforeEach
    void write() throws IOException {
        byte[] lines = new LineProgramWriter(5, DwarfStyle.DEFAULT.order())
                .file("a.c")
                .setFile(0)
                .address(0x1000)
                .column(3)
                .discriminator(2)
                .row(0, 8)
                .end(16)
                .toBytes();
        file = DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unitOf(die(
                                DW_TAG_compile_unit,
                                name("a.c"),
                                attribute(DW_AT_comp_dir, new Text("/src")),
                                attribute(DW_AT_stmt_list, DW_FORM_sec_offset, 0),
                                attribute(DW_AT_low_pc, DW_FORM_addr, 0x1000),
                                attribute(DW_AT_high_pc, DW_FORM_data4, 16),
                                die(DW_TAG_subprogram, label("inner"), name("inner")),
                                die(
                                        DW_TAG_subprogram,
                                        name("outer"),
                                        attribute(DW_AT_low_pc, DW_FORM_addr, 0x1000),
                                        attribute(DW_AT_high_pc, DW_FORM_data4, 16),
                                        die(
                                                DW_TAG_inlined_subroutine,
                                                attribute(DW_AT_abstract_origin, new Ref("inner")),
                                                attribute(DW_AT_low_pc, DW_FORM_addr, 0x1004),
                                                attribute(DW_AT_high_pc, DW_FORM_data4, 4))))))
                .toElf()
                .code(".text", 0x1000, 16)
                .section(".debug_line", lines)
                .writeTo(folder.resolve("program"))
                .toString();
    }

    @Test
    void framesArePrintedInnermostFirst() {
        assertThat(CommandLineRun.of("symbolize", file, "0x1000", "0x1004")).isEqualTo(new CommandLineRun(0, """
                        0x1000
                          outer at /src/include/a.c:9:3
                        0x1004
                          inner at /src/include/a.c:9:3 (inlined)
                          outer
                        """, ""));
    }

    @Test
    void functionsWithoutLinesAreSaid() throws IOException {
        Path bare = folder.resolve("bare");
        RequiredTool.require("objcopy").output("--remove-section=.debug_line", file, bare);

        assertThat(CommandLineRun.of("symbolize", bare.toString(), "0x1000"))
                .isEqualTo(new CommandLineRun(
                        1, "0x1000\n  outer\n", "offsetd: " + bare + " has functions and no lines at this address\n"));
    }

    @Test
    void addressOutsideOfCodeIsSaid() {
        CommandLineRun run = CommandLineRun.of("symbolize", file, "0x2000");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no function and no line at 0x2000");
        CommandLineRun offset = CommandLineRun.of("symbolize", file, "file:0x10", "0x1000");
        assertThat(offset.exitCode()).isEqualTo(1);
        assertThat(offset.out()).startsWith("0x1000\n");
        assertThat(offset.err()).contains("file:0x10: the offset has no address: no program headers are known");
    }

    @Test
    void framesAsJsonHaveWhatIsKnown() {
        assertThat(new JsonMapper()
                        .readTree(CommandLineRun.of("symbolize", file, "0x1004", "--json")
                                .out()))
                .isEqualTo(new JsonMapper().readTree("""
                        {"schemaVersion": 1, "buildId": null,
                         "arch": {"machine": "x86_64", "bits": 64, "byteOrder": "little"},
                         "addresses": {"0x1004": {"status": "found", "frames": [
                          {"function": "inner", "file": "/src/include/a.c", "line": 9, "column": 3, "discriminator": 2,
                           "inlined": true},
                          {"function": "outer", "file": null, "line": 0, "column": 0, "inlined": false}]}},
                         "complete": true}"""));
    }

    @Test
    void functionsOfCppHaveTheirScopesAndLinkageNames() throws IOException {
        Path library = folder.resolve("library");
        Path source = Files.writeString(folder.resolve("wheel.cpp"), """
                namespace ns {
                struct Wheel {
                    int twice(int x);
                };
                int Wheel::twice(int x) { return x * 2; }
                }
                """);
        RequiredTool.require("g++").output("-g", "-shared", "-fPIC", "-nostdlib", source, "-o", library);
        String nm = RequiredTool.require("nm").output("--defined-only", library);
        String name = "_ZN2ns5Wheel5twiceEi";
        String address =
                nm.lines().filter(line -> line.endsWith(name)).findFirst().orElseThrow();
        address = "0x" + address.split(" ", 2)[0].replaceFirst("^0+", "");

        CommandLineRun text = CommandLineRun.of("symbolize", library.toString(), address);
        assertThat(text.out()).isEqualTo(address + "\n  ns::Wheel::twice at " + source + ":5:25\n");
        JsonNode json = new JsonMapper()
                .readTree(CommandLineRun.of("symbolize", library.toString(), address, "--json")
                        .out());
        JsonNode frame = json.path("addresses").path(address).at("/frames/0");
        assertThat(frame.path("function").asString()).isEqualTo("ns::Wheel::twice");
        assertThat(frame.path("linkageName").asString()).isEqualTo(name);
    }

    @Test
    void returnAddressIsLookedUpOneByteBefore() {
        assertThat(CommandLineRun.of("symbolize", "-r", file, "0x1004").out()).isEqualTo("""
                0x1004
                  outer at /src/include/a.c:9:3
                """);
    }

    @Test
    void eachArgumentHasItsOwnEntry() throws IOException {
        Path program = folder.resolve("app");
        RequiredTool.require("gcc")
                .output(
                        "-nostdlib",
                        "-static",
                        "-no-pie",
                        "-g",
                        "-Wl,--build-id=0x1122334455667788",
                        Files.writeString(folder.resolve("app.c"), "int _start(void) { return 2; }\n"),
                        "-o",
                        program);
        JsonNode symbol = new JsonMapper()
                .readTree(CommandLineRun.of("symbols", program.toString(), "_start", "--json")
                        .out())
                .at("/names/0/symbols/0");
        String address = symbol.path("value").asString();
        String offset = "file:" + symbol.path("fileOffset").asString();

        CommandLineRun text = CommandLineRun.of("symbolize", program.toString(), offset, address + "," + offset);
        assertThat(text.out().lines().filter(line -> !line.startsWith(" "))).containsExactly(offset, address, offset);

        JsonNode json = new JsonMapper()
                .readTree(
                        CommandLineRun.of("symbolize", program.toString(), offset, address, "file:0x99999999", "--json")
                                .out());
        assertThat(json.path("buildId").asString()).isEqualTo("1122334455667788");
        assertThat(json.path("complete").asBoolean()).isFalse();
        assertThat(json.path("addresses").propertyNames()).containsExactly(offset, address, "file:0x99999999");
        for (String key : List.of(offset, address)) {
            JsonNode entry = json.path("addresses").path(key);
            assertThat(entry.path("status").asString()).isEqualTo("found");
            assertThat(entry.path("symbol").toString()).isEqualTo("{\"name\":\"_start\",\"offset\":0}");
            assertThat(entry.at("/frames/0/line").asInt()).isEqualTo(1);
        }
        assertThat(json.at("/addresses/file:0x99999999/status").asString()).isEqualTo("outside");
        assertThat(json.at("/addresses/file:0x99999999/detail").asString()).contains("outside of all loaded segments");

        JsonNode symbols = new JsonMapper()
                .readTree(CommandLineRun.of(
                                "symbols", program.toString(), "--addresses", offset + ",file:0x99999999", "--json")
                        .out())
                .path("addresses");
        assertThat(symbols.at("/0/address").asString()).isEqualTo(address);
        assertThat("file:" + symbols.at("/0/fileOffset").asString()).isEqualTo(offset);
        assertThat(symbols.at("/0/status").asString()).isEqualTo("found");
        assertThat(symbols.at("/1/fileOffset").asString()).isEqualTo("0x99999999");
        assertThat(symbols.at("/1/status").asString()).isEqualTo("outside_segments");
    }

    @Test
    void offsetInAFileWithoutSegmentsHasTheStatusOfServers() {
        JsonNode json = new JsonMapper()
                .readTree(CommandLineRun.of("symbolize", file, "file:0x10", "--json")
                        .out());

        assertThat(json.at("/addresses/file:0x10/status").asString()).isEqualTo("no_segments");
        assertThat(json.at("/addresses/file:0x10/detail").asString()).contains("no program headers are known");
    }

    @Test
    void fileThatCannotBeReadHasAReason() {
        CommandLineRun filter =
                CommandLineRun.of("symbolize", folder.resolve("nofile").toString());
        assertThat(filter.exitCode()).isEqualTo(3);
        assertThat(filter.err()).contains("nofile\": no such file");
        assertThat(CommandLineRun.of("symbolize", folder.toString()).err()).contains(": is a directory");
    }
}
