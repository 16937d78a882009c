package dev.offsetd.cli.file;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_structure_type;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.name;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.elf.SymbolFile;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The commands that read a local file, run on a compiled fixture. */
class FileCommandsTests {

    private static final String FIXTURE = "/fixtures/gcc12-dwarf5-x86_64-el/";
    private static final byte[] ID = {0x12, 0x34, 0x56, 0x78, (byte) 0x9a, (byte) 0xbc, (byte) 0xde, (byte) 0xf0};
    private static final String ID_TEXT = "123456789abcdef0";

    @TempDir
    Path scratch;

    private Path file;

    @BeforeEach
    void copyFixture() throws IOException {
        file = scratch.resolve("layout.debug");
        try (InputStream in = resource("layout.debug")) {
            Files.copy(in, file);
        }
    }

    @Test
    void buildIdIsPrintedAlone() throws IOException {
        Path elf = elf("with-id", ID);

        CommandLineRun run = CommandLineRun.of("build-id", elf.toString());

        assertThat(run).isEqualTo(new CommandLineRun(0, ID_TEXT + "\n", ""));
    }

    @Test
    void buildIdAsJsonComesWithTheArchitecture() throws IOException {
        CommandLineRun run = CommandLineRun.of("build-id", elf("with-id", ID).toString(), "--json");

        assertThat(JsonMapper.shared().readTree(run.out()))
                .isEqualTo(JsonMapper.shared().readTree("""
                    {"buildId": "%s", "arch": {"machine": "x86_64", "bits": 64, "byteOrder": "little"},
                     "hasDwarf": false}\
                    """.formatted(ID_TEXT)));
    }

    @Test
    void allKeysOfAFileArePrinted() throws IOException {
        Path elf = elf("with-id", ID);
        String sha256 = DigestUtils.sha256Hex(Files.readAllBytes(elf));

        CommandLineRun text = CommandLineRun.of("build-id", elf.toString(), "--all");
        CommandLineRun json = CommandLineRun.of("build-id", elf.toString(), "--all", "--json");

        assertThat(text.out()).matches(ID_TEXT + "\nhtl:[0-9a-f]{32}\nsha256:" + sha256 + "\n");
        assertThat(JsonMapper.shared()
                        .readTree(json.out())
                        .path("keys")
                        .valueStream()
                        .map(JsonNode::asString))
                .containsExactlyElementsOf(text.out().lines().toList());
    }

    @Test
    void nameMapIsYamlOrAHeaderAndMissesAreNoNumbers() {
        CommandLineRun yaml =
                CommandLineRun.of("extract", file.toString(), "@ruby", "--view", "map", "--map", "runtime-data");

        assertThat(yaml.exitCode()).isEqualTo(1);
        assertThat(yaml.out())
                .contains("path_flavour: 1\n")
                .contains("cfp_offset: {status: type_not_found, item: 'rb_execution_context_struct.cfp'}\n");
        assertThat(CommandLineRun.of(
                                "extract",
                                file.toString(),
                                "@ruby",
                                "--view",
                                "map",
                                "--map",
                                "runtime-data",
                                "--format",
                                "c")
                        .out())
                .contains("#define path_flavour 1\n")
                .contains("/* cfp_offset: type_not_found, rb_execution_context_struct.cfp */\n");
        assertThat(CommandLineRun.of("extract", file.toString(), "@python", "--view", "map"))
                .isEqualTo(new CommandLineRun(
                        2,
                        "",
                        "offsetd: @python has several name maps; expected --map runtime-data or"
                                + " --map runtime-data-initial-state or --map otel-ebpf-profiler or"
                                + " --map otel-ebpf-profiler-tls\n"));
        for (String[] wrong : new String[][] {
            {"@ruby", "--view", "map", "--map", "runtime-data", "--format", "text"},
            {"@ruby", "--format", "yaml"},
            {"@ruby", "--map", "runtime-data"},
            {"--all", "--view", "map"}
        }) {
            List<String> words = new ArrayList<>(List.of("extract", file.toString()));
            words.addAll(List.of(wrong));
            assertThat(CommandLineRun.of(words.toArray(String[]::new)).exitCode())
                    .as(String.join(" ", wrong))
                    .isEqualTo(2);
        }
    }

    @Test
    void resolveShowsTheWayToAByteOfAType() {
        CommandLineRun run = CommandLineRun.of("resolve", file.toString(), "nested+0x19");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("nested+0x19: found\n")
                .contains("        24        8        8                 b  long int\n")
                .endsWith("  = nested.inner.b, byte 1 of 8\n");
    }

    @Test
    void resolveAsJsonHasTheTree() {
        CommandLineRun run = CommandLineRun.of("resolve", file.toString(), "struct point+5", "--json");

        JsonNode answer = JsonMapper.shared().readTree(run.out());
        assertThat(answer.path("status").asString()).isEqualTo("found");
        assertThat(answer.path("arch").path("machine").asString()).isEqualTo("x86_64");
        assertThat(answer.path("root").path("contents").path(0).path("path").asString())
                .isEqualTo("point.y");
    }

    @Test
    void resolveEndsWithOneIfNothingIsThere() {
        CommandLineRun behind = CommandLineRun.of("resolve", file.toString(), "point+8");
        CommandLineRun nothing = CommandLineRun.of("resolve", file.toString(), "nothing+8");

        assertThat(behind.exitCode()).isEqualTo(1);
        assertThat(behind.out()).startsWith("point+8: past end\n");
        assertThat(nothing)
                .isEqualTo(new CommandLineRun(
                        1, "nothing+8: not found, no variable or type of the build has this name\n", ""));
    }

    @Test
    void resolveAndDiffSuggestNamesThatTheFileHas() {
        CommandLineRun resolved = CommandLineRun.of("resolve", file.toString(), "struct pont+4");
        CommandLineRun compared = CommandLineRun.of("diff", file.toString(), file.toString(), "piont,point.yy,nothing");

        assertThat(resolved.exitCode()).isEqualTo(1);
        assertThat(resolved.out())
                .isEqualTo("struct pont+4: not found, no type of the build has this name; did you mean point?\n");
        assertThat(compared.out()).isEqualTo("""
            ? piont: not found on either side; did you mean point?
            ? point.yy: not found on either side; did you mean point.y?
            ? nothing: not found on either side
            """);
    }

    @Test
    void resolveRefusesAnExpressionWithItsPosition() {
        assertThat(CommandLineRun.of("resolve", file.toString(), "point-8"))
                .isEqualTo(new CommandLineRun(
                        2,
                        "",
                        "offsetd: expression \"point-8\", character 6: expected an offset of 0 or more: nothing of a"
                                + " variable or type lies before it\n"));
    }

    @Test
    void offsetOfAVariableInTheFileIsWhereItsBytesAre() throws IOException {
        Path source = Files.writeString(
                scratch.resolve("pairs.c"), "struct pair { int a, b; } pair = {1, 0x55667788}; struct pair zero;\n");
        Path library = scratch.resolve("pairs.so");
        RequiredTool.require("gcc").output("-g", "-shared", "-o", library, source);

        JsonNode offsets = JsonMapper.shared()
                .readTree(CommandLineRun.of("extract", library.toString(), "variable pair.b", "zero.b", "--json")
                        .out())
                .path("offsets");

        JsonNode member = offsets.path("variable pair.b");
        int at = Integer.decode(member.path("fileOffset").asString())
                + member.path("offset").asInt();
        assertThat(ByteBuffer.wrap(Files.readAllBytes(library))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getInt(at))
                .isEqualTo(0x55667788);
        assertThat(offsets.path("zero.b").path("address").isString()).isTrue();
        assertThat(offsets.path("zero.b").has("fileOffset")).isFalse();
    }

    /** Units that give a typedef different meanings have equal structs with pointers to it. */
    @Test
    void elementBehindAPointerToDifferingTypedefsIsAmbiguous() throws IOException {
        Path narrow = Files.writeString(
                scratch.resolve("narrow.c"), "typedef char unit; struct text { const unit *at; } one;\n");
        Path wide = Files.writeString(
                scratch.resolve("wide.c"), "typedef int unit; struct text { const unit *at; } two;\n");
        Path library = scratch.resolve("text.so");
        RequiredTool.require("gcc").output("-g", "-shared", "-fPIC", "-o", library, narrow, wide);

        CommandLineRun run = CommandLineRun.of("extract", library.toString(), "text.at[2]", "text.at", "--json");

        JsonNode offsets = JsonMapper.shared().readTree(run.out()).path("offsets");
        assertThat(offsets.path("text.at[2]").path("status").asString()).isEqualTo("ambiguous");
        assertThat(offsets.path("text.at").path("status").asString()).isEqualTo("found");
    }

    @Test
    void diffOfANameMapHasTheConsumersNames() throws IOException {
        List<String> files = new ArrayList<>();
        for (String members : List.of("int type, lineno;", "long type; int lineno;")) {
            Path source = Files.writeString(
                    scratch.resolve("op" + members.length() + ".c"), "struct _zend_op { " + members + " } op;\n");
            Path library = scratch.resolve("op" + members.length() + ".so");
            RequiredTool.require("gcc").output("-g", "-shared", "-o", library, source);
            files.add(library.toString());
        }
        String[] command = {"diff", files.getFirst(), files.getLast(), "@php", "--map", "otel-ebpf-profiler"};

        assertThat(CommandLineRun.of(command)).isEqualTo(new CommandLineRun(1, "~ zend_op.lineno: 4 -> 8\n", ""));
        String[] json = Arrays.copyOf(command, command.length + 1);
        json[command.length] = "--json";
        assertThat(CommandLineRun.of(json).out())
                .endsWith("\"same\":false,\"names\":[{\"name\":\"zend_op.lineno\",\"from\":4,\"to\":8}]}\n");
        assertThat(CommandLineRun.of("diff", files.getFirst(), files.getLast(), "@php", "--map", "nope"))
                .satisfies(run -> assertThat(run.exitCode()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err())
                        .contains("@php: no name map \"nope\"; expected --map phpspy or --map otel-ebpf-profiler"));
    }

    @Test
    void diffSaysWhatChangedAndEndsWithOne() throws IOException {
        Path other = copy("/fixtures/gcc12-dwarf5-i386-el/layout.debug", scratch.resolve("i386.debug"));

        CommandLineRun run = CommandLineRun.of("diff", file.toString(), other.toString(), "nested.inner,point");
        CommandLineRun json = CommandLineRun.of("diff", file.toString(), other.toString(), "struct inner", "--json");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEqualTo("""
            ~ nested.inner: struct, 16 -> 8 bytes
              ~ value: offset 16 -> 12, 16 bytes -> 8 bytes
            ~ inner: struct, 16 -> 8 bytes
              ~ b: offset 8 -> 4, 8 bytes -> 4 bytes
            """);
        assertThat(json.exitCode()).isEqualTo(1);
        JsonNode answer = JsonMapper.shared().readTree(json.out());
        assertThat(answer.path("same").asBoolean(true)).isFalse();
        assertThat(answer.path("to").path("arch").path("machine").asString()).isEqualTo("i386");
        assertThat(answer.path("types")
                        .path(0)
                        .path("members")
                        .path(0)
                        .path("member")
                        .asString())
                .isEqualTo("b");
    }

    @Test
    void extractPrintsCInTwoWays() {
        CommandLineRun text = CommandLineRun.of("extract", file.toString(), "point", "--format", "text");
        CommandLineRun header = CommandLineRun.of("extract", file.toString(), "point,nope", "--format", "c");

        assertThat(text.exitCode()).isZero();
        assertThat(text.out())
                .startsWith(
                        "struct point {\n        int                        x;                   /*     0     4 */\n");
        assertThat(header.exitCode()).isEqualTo(1);
        assertThat(header.out()).contains("#define point_y_OFFSET 4\n", "/* nope: type_not_found */\n");
    }

    @Test
    void formatAndJsonMustAgree() {
        CommandLineRun both = CommandLineRun.of("extract", file.toString(), "point", "--json", "--format", "c");

        assertThat(both)
                .isEqualTo(new CommandLineRun(
                        2, "", "offsetd: --json and --format c are both given; expected one of them\n"));
        assertThat(CommandLineRun.of("extract", file.toString(), "point", "--format", "json"))
                .isEqualTo(CommandLineRun.of("extract", file.toString(), "point", "--json"));
    }

    @Test
    void supplementaryFileIsTakenFromWhereItIsSaidToBe() throws IOException {
        String folder = "/fixtures/gcc12-dwarf5-supplementary-el/";
        Path linking = copy(folder + "layout.debug", scratch.resolve("linking.debug"));
        Path shared = copy(folder + "common.dwz", scratch.resolve("elsewhere.dwz"));

        CommandLineRun without = CommandLineRun.of("extract", linking.toString(), "arrays.grid");
        CommandLineRun with =
                CommandLineRun.of("extract", linking.toString(), "arrays.grid", "--supplementary", shared.toString());

        assertThat(without.exitCode()).isEqualTo(3);
        assertThat(without.err())
                .contains("needs \"common.dwz\" with build-id ")
                .hasLineCount(1);
        assertThat(with).isEqualTo(new CommandLineRun(0, "arrays.grid: offset 0, 24 bytes, int [2][3]\n", ""));
    }

    @Test
    void missingSplitFileIsSaidWithEachItemThatItMayHold() throws IOException {
        String fixture = "/fixtures/gcc12-dwarf5-split-dwo/";
        Path split = copy(fixture + "layout.debug", scratch.resolve("split.debug"));
        copy(fixture + "layout.dwo", scratch.resolve("layout.dwo"));
        String missing = "1 unit was not read, because it is in another file: \"second.dwo\" (DWO id ";

        CommandLineRun table = CommandLineRun.of("extract", split.toString(), "arrays.grid,nowhere");
        CommandLineRun json = CommandLineRun.of("extract", split.toString(), "arrays.grid,nowhere", "--json");
        CommandLineRun text = CommandLineRun.of("extract", split.toString(), "nowhere", "--format", "text");
        CommandLineRun types = CommandLineRun.of("types", split.toString(), "--json");
        Path whole = Files.createDirectory(scratch.resolve("whole"));
        copy(fixture + "layout.dwo", whole.resolve("layout.dwo"));
        copy(fixture + "second.dwo", whole.resolve("second.dwo"));
        Path complete = copy(fixture + "layout.debug", whole.resolve("split.debug"));
        CommandLineRun diff = CommandLineRun.of("diff", split.toString(), complete.toString());

        assertThat(table.exitCode()).isEqualTo(1);
        assertThat(table.out())
                .contains("arrays.grid: offset 0, 24 bytes")
                .contains("nowhere")
                .contains(missing);
        assertThat(table.err()).startsWith("offsetd: " + split + ": " + missing).hasLineCount(1);
        assertThat(text.out()).contains(missing);
        JsonNode answer = JsonMapper.shared().readTree(json.out());
        assertThat(answer.at("/missing/0/file").asString()).isEqualTo("second.dwo");
        assertThat(answer.at("/missing/0/dwoId").asString()).matches("[0-9a-f]{16}");
        assertThat(answer.at("/offsets/arrays.grid").has("detail")).isFalse();
        assertThat(answer.at("/offsets/nowhere/detail").asString()).contains(missing);
        assertThat(JsonMapper.shared()
                        .readTree(types.out())
                        .at("/missing/0/file")
                        .asString())
                .isEqualTo("second.dwo");
        assertThat(types.err()).contains(missing);
        assertThat(diff.exitCode()).isEqualTo(1);
        assertThat(diff.err()).contains(missing);
        assertThat(diff.out())
                .contains("? defined_elsewhere: cannot be compared: declaration_only before, found after")
                .doesNotContain("grid");
    }

    @Test
    void typesThatUnitsDoNotAgreeOnAreAllNamed() throws IOException {
        Path scalars = copy("/fixtures/gcc12-dwarf5-scalars-el/scalars.debug", scratch.resolve("scalars.debug"));

        CommandLineRun run = CommandLineRun.of("extract", scalars.toString(), "scalars.number,agreed,changing");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("scalars.number: offset 0, 4 bytes, int or float\n")
                .contains("x                        int or unsigned int\n")
                .contains("changing: typedef, 4 bytes, int or float\n");
    }

    @Test
    void fileWithBtfOnlyIsReadAndThatIsSaid() throws IOException {
        Path btf = copy("/fixtures/pahole-btf-x86_64-el/layout.debug", scratch.resolve("btf.debug"));

        CommandLineRun run = CommandLineRun.of("extract", btf.toString(), "nested.inner.b");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("nested.inner.b: offset ").contains("8 bytes, long int");
        assertThat(run.err()).contains("reading its BTF").hasLineCount(1);
    }

    private static Path copy(String resource, Path target) throws IOException {
        try (InputStream in = Objects.requireNonNull(ElfWriter.class.getResourceAsStream(resource), resource)) {
            Files.copy(in, target);
        }
        return target;
    }

    @Test
    void messagesAboutBtfWithoutElfDoNotSpeakOfElf() throws IOException {
        byte[] header = new byte[25];
        ByteBuffer.wrap(header)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0x0001_eb9f)
                .putInt(24)
                .putInt(20, 1);
        String btf = Files.write(scratch.resolve("vmlinux"), header).toString();

        assertThat(CommandLineRun.of("types", btf).err()).doesNotContain("DWARF");
        assertThat(CommandLineRun.of("symbols", btf).err())
                .isEqualTo("offsetd: " + btf + ": no symbols: BTF without ELF has none\n");
        assertThat(CommandLineRun.of("build-id", btf).err()).contains("no build-id: BTF without ELF has none");
        assertThat(CommandLineRun.of("core", btf).err()).contains("expected a core file; this is BTF without ELF");
    }

    @Test
    void fileWithoutTypesSaysWhy() throws IOException {
        Path core = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).type(4).writeTo(scratch.resolve("core"));
        Path whole = copy("/fixtures/without-sections/gnu.so", scratch.resolve("whole.so"));
        byte[] bytes = Files.readAllBytes(whole);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putShort(58, (short) 40);
        Path damaged = Files.write(scratch.resolve("damaged.so"), bytes);

        assertThat(CommandLineRun.of("types", core.toString()).err())
                .contains("it is a core file, whose modules \"offsetd core\" lists");
        assertThat(CommandLineRun.of("extract", damaged.toString(), "S").err())
                .contains(
                        "its section headers cannot be used, so no DWARF is found in it (elf header: e_shentsize is 40;");
    }

    /** A name that is not found is looked for in everything, which is a second reading. */
    @Test
    void omissionsAreSaidOnce() throws IOException {
        byte[] bytes = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".BTF", new byte[] {
                    (byte) 0x9f, (byte) 0xeb, 1, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 7
                })
                .toBytes();
        Path file = Files.write(scratch.resolve("btf"), bytes);

        assertThat(CommandLineRun.of("extract", file.toString(), "NOPE").err().lines())
                .filteredOn(line -> line.contains("1 unit was left out"))
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "types FILE, 1, 0",
        "extract FILE point, 1, 0",
        "extract FILE --all, 1, 0",
        "extract FILE --definitions, 1, 0",
        "extract FILE nope, 1, 0",
        "export FILE --format btf --output OUT, 1, 0",
        "export FILE --format isf --output OUT, 1, 1",
        "resolve FILE point, 1, 0",
        "resolve FILE nope, 1, 1",
        "diff FILE FILE, 1, 0",
        "check @php --builds FILE, 1, 1",
        "symbols FILE, 0, 1",
        "symbols FILE --addresses 0x1000, 0, 1",
        "symbolize FILE 0x1000, 1, 1",
        "symbolize FILE 0x1000 --json, 1, 1",
        "symbolize, 1, 1"
    })
    void everyCommandThatReadsTypesOrSymbolsSaysOnceWhatWasLeftOut(String command, int units, int tables)
            throws IOException {
        Path damaged = damaged();
        String[] words = command.replace("FILE", damaged.toString())
                .replace("OUT", scratch.resolve("out").toString())
                .split(" ", -1);
        InputStream in = System.in;
        System.setIn(new ByteArrayInputStream((damaged + "(+0x1000)\n").getBytes(StandardCharsets.UTF_8)));

        List<String> said;
        try {
            said = CommandLineRun.of(words).err().lines().toList();
        } finally {
            System.setIn(in);
        }

        assertThat(said)
                .filteredOn(line -> line.startsWith("offsetd: " + damaged + ": ")
                        && line.contains("1 unit was left out, because of damage: .debug_info+0x3f: unknown"
                                + " abbreviation code 127; table at .debug_abbrev+0x0 has 5 codes"))
                .hasSize(units);
        assertThat(said)
                .filteredOn(line -> line.startsWith("offsetd: " + damaged + ": ")
                        && line.contains("1 symbol table was left out, because of damage: .symtab: sh_link is 2457"))
                .hasSize(tables);
    }

    @Test
    void everyTypeIsIncompleteIfAUnitWasLeftOut() throws IOException {
        String file = damaged().toString();

        String all = CommandLineRun.of("extract", file, "--all", "--json").out();
        String one = CommandLineRun.of("extract", file, "point", "--json").out();
        JsonNode point = JsonMapper.shared().readTree(all).at("/offsets/point");

        assertThat(point.path("incomplete").asBoolean()).isTrue();
        assertThat(point).isEqualTo(JsonMapper.shared().readTree(one).at("/offsets/point"));
        assertThat(CommandLineRun.of("extract", file, "--all", "--json", "--view", "flat")
                        .out())
                .contains("\"incompleteItems\":[\"int\",\"point\"]");
    }

    @Test
    void typeSetIsComparedAsItsItems() throws IOException {
        Path before = operations("before", 4);
        Path after = operations("after", 8);

        CommandLineRun run = CommandLineRun.of("diff", before.toString(), after.toString(), "@php");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("lineno").doesNotContain("unrelated");
    }

    /** Returns a file with a type of PHP, whose member is at an offset, and one of no type set. */
    private Path operations(String name, int offset) throws IOException {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                struct("_zend_op", 16, member("lineno", "int", offset)),
                                struct("unrelated", 16, member("x", "int", offset))))
                .writeTo(scratch.resolve(name));
    }

    @Test
    void memberOfAnArchiveIsAFile() throws IOException {
        byte[] object = Files.readAllBytes(operations("x.o", 4));
        Path archive = scratch.resolve("lib.a");
        Files.write(
                archive,
                new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                        .bytes("!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n"
                                .formatted("x.o/", 0, 0, 0, 0x1a4, object.length)
                                .getBytes(StandardCharsets.US_ASCII))
                        .bytes(object)
                        .toBytes());

        CommandLineRun run = CommandLineRun.of("extract", archive + "(x.o)", "_zend_op.lineno");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("offset 4, 4 bytes, int");
        assertThat(CommandLineRun.of("extract", archive + "(y.o)", "_zend_op.lineno")
                        .exitCode())
                .isEqualTo(3);
    }

    @Test
    void buildIdThatCannotBeAKeySaysWhy() throws IOException {
        CommandLineRun run = CommandLineRun.of(
                "build-id", elf("four-bytes", Arrays.copyOf(ID, 4)).toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(": no build-id (", "4 bytes").hasLineCount(1);
    }

    /** Returns a file of two units, the second of which has a DIE of an unknown abbreviation, and a damaged symbol table. */
    private Path damaged() throws IOException {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(baseType("int", 4, DW_ATE_signed), struct("point", 4, member("x", "int", 0))),
                unit(die(DW_TAG_structure_type, label("last"), name("last"), byteSize(4))));
        return sections.patched(".debug_info", sections.offsetOf("last"), 0x7f, 1)
                .toElf()
                .code(".text", 0x1000, 16)
                .section(".symtab", 2, 2457, 1, 24, new byte[48])
                .writeTo(scratch.resolve("damaged"));
    }

    @Test
    void damagedSymbolTableLeavesTheOthers() throws IOException {
        Path elf = Files.write(
                scratch.resolve("damaged-symtab"),
                new SymbolFile()
                        .linked("main", SymbolFile.GLOBAL_FUNC, 1, 0x1000, 16)
                        .linkedStrings(2457)
                        .dynamic("main", 1, 1, 0x1000, 16)
                        .toBytes());

        CommandLineRun run = CommandLineRun.of("symbols", elf.toString(), "main");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).endsWith(" .text .dynsym main\n");
        assertThat(run.err())
                .contains(": 1 symbol table was left out, because of damage: .symtab: sh_link is 2457")
                .contains(" has no readable .symtab, and no debug file is installed");
        for (String[] command : new String[][] {
            {"symbols", elf.toString(), "--json"},
            {"symbols", elf.toString(), "main", "--json"},
            {"symbols", elf.toString(), "--addresses", "0x1000", "--json"},
            {"extract", elf.toString(), "symbol main", "--json"}
        }) {
            assertThat(CommandLineRun.of(command).out()).contains("\"incomplete\":true");
        }
    }

    @Test
    void symbolsAreFoundByNameAndByAddress() throws IOException {
        String elf = elfWithSymbols(".symtab", 2, ID).toString();

        assertThat(CommandLineRun.of("symbols", elf, "ma[h-j]n"))
                .isEqualTo(new CommandLineRun(
                        0, "0x0000000000001000         16 FUNC    GLOBAL DEFAULT   .text .symtab main\n", ""));
        assertThat(CommandLineRun.of("symbols", elf, "main", "--family").out())
                .contains(" main\n")
                .contains(" main.cold\n");
        assertThat(CommandLineRun.of("symbols", elf).out()).hasLineCount(2);
        assertThat(CommandLineRun.of("symbols", elf, "--addresses", "0X1003,file:0x3"))
                .isEqualTo(new CommandLineRun(
                        1,
                        "0x0000000000001003 main+0x3\n",
                        "offsetd: file:0x3: the offset has no address: no program headers are known of the file\n"));
        assertThat(CommandLineRun.of("symbols", elf, "--addresses", "0x100f,0x1003"))
                .isEqualTo(new CommandLineRun(0, "0x000000000000100f main+0xf\n0x0000000000001003 main+0x3\n", ""));
    }

    @Test
    void symbolsAreItemsBesideTypes() throws IOException {
        String elf = elfWithSymbols(".symtab", 2, ID).toString();

        assertThat(CommandLineRun.of("extract", elf, "symbol ma[h-j]n")).isEqualTo(new CommandLineRun(0, """
            symbol ma[h-j]n: 1 symbol
                          0x1000         16 FUNC    GLOBAL main
            """, ""));
        CommandLineRun withTypes = CommandLineRun.of(
                "extract", elf, "list_head,symbol main,tls", "--json", "--debug-dir", scratch.toString());
        assertThat(withTypes.exitCode()).isEqualTo(1);
        assertThat(withTypes.err()).contains("no DWARF, and no debug file").hasLineCount(1);
        JsonNode offsets = JsonMapper.shared().readTree(withTypes.out()).path("offsets");
        assertThat(offsets.at("/list_head/status").asString()).isEqualTo("no_debuginfo");
        assertThat(offsets.at("/symbol main/symbols/0/value").asString()).isEqualTo("0x1000");
        assertThat(offsets.at("/tls/status").asString()).isEqualTo("type_not_found");
    }

    @Test
    void symbolsOfAFileWithTypesAreReadOnlyIfAnItemAsks() {
        CommandLineRun both = CommandLineRun.of("extract", file.toString(), "nested.inner.b,symbol nope", "--json");

        assertThat(both.exitCode()).isEqualTo(1);
        JsonNode offsets = JsonMapper.shared().readTree(both.out()).path("offsets");
        assertThat(offsets.at("/nested.inner.b/offset").asInt()).isEqualTo(24);
        assertThat(offsets.at("/symbol nope/status").asString()).isEqualTo("type_not_found");
    }

    @Test
    void unknownTypeSetIsInvalid() {
        CommandLineRun run = CommandLineRun.of("extract", file.toString(), "nested,@nope");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("item 2 \"@nope\": no type set has this name; expected one of ");
    }

    @Test
    void symbolsThatAreNotThereAreSaid() throws IOException {
        String elf = elfWithSymbols(".symtab", 2, ID).toString();

        CommandLineRun names = CommandLineRun.of("symbols", elf, "none,main");
        assertThat(names.exitCode()).isEqualTo(1);
        assertThat(names.out()).hasLineCount(1);
        assertThat(names.err()).isEqualTo("offsetd: no symbol \"none\"\n");
        assertThat(CommandLineRun.of("symbols", elf, "--addresses", "0x2010"))
                .isEqualTo(new CommandLineRun(1, "", "offsetd: no symbol at 0x0000000000002010\n"));
        CommandLineRun without =
                CommandLineRun.of("symbols", elf("without-symbols").toString(), "--debug-dir", scratch.toString());
        assertThat(without.exitCode()).isEqualTo(3);
        assertThat(without.err()).contains("no symbols: .symtab and .dynsym are missing or empty");
    }

    @Test
    void programOfGoWhoseFunctionsAreNotFoundIsSaidBesideItsDynamicSymbols() throws IOException {
        Path program = symbols(".dynsym", 11)
                .loaded(".go.buildinfo", 0x2000, new byte[16])
                .loaded(".data.rel.ro", 0x3000, new byte[64])
                .writeTo(scratch.resolve("other-go"));

        CommandLineRun run =
                CommandLineRun.of("symbols", program.toString(), "main", "--debug-dir", scratch.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).hasLineCount(1);
        assertThat(run.err()).contains(".gopclntab: the program of Go \"\" has no .gopclntab");
    }

    @Test
    void symbolsAsJsonSayWhereTheyWereFound() throws IOException {
        Path elf = elfWithSymbols(".symtab", 2, ID);
        JsonNode addresses = JsonMapper.shared()
                .readTree(CommandLineRun.of("symbols", elf.toString(), "--addresses", "0x1004,0x3000", "--json")
                        .out());
        JsonNode names = JsonMapper.shared()
                .readTree(CommandLineRun.of("symbols", elf.toString(), "main.cold,none", "--json")
                        .out());

        assertThat(addresses.at("/addresses")).isEqualTo(JsonMapper.shared().readTree("""
            [{"status": "found", "address": "0x1004", "symbols": [
              {"offset": 4, "name": "main", "version": null, "value": "0x1000", "size": 16,
               "type": "FUNC", "binding": "GLOBAL", "visibility": "DEFAULT", "section": ".text",
               "imported": false, "sources": [{"file": "file", "table": ".symtab"}]}]},
             {"status": "not_found", "address": "0x3000", "symbols": []}]\
            """));
        assertThat(addresses.path("complete").asBoolean(true)).isFalse();
        assertThat(addresses.path("file").asString()).isEqualTo(elf.toString());
        assertThat(addresses.path("debugFile").isNull()).isTrue();
        assertThat(addresses.path("tls").isNull()).isTrue();
        assertThat(names.at("/names/0/symbols/0/value").asString()).isEqualTo("0xfffffffffffffff0");
        assertThat(names.at("/names/0/symbols/0/size").bigIntegerValue())
                .isEqualTo(new BigInteger("18446744073709551615"));
        assertThat(names.at("/names/1").toString()).isEqualTo("{\"name\":\"none\",\"symbols\":[]}");
    }

    @Test
    void symbolsOfAStrippedFileComeFromItsDebugFileToo() throws IOException {
        Path stripped = elfWithSymbols(".dynsym", 11, ID);
        Path debug = scratch.resolve("debug");
        Path debugFile = debug.resolve(".build-id/12/" + ID_TEXT.substring(2) + ".debug");
        Files.createDirectories(debugFile.getParent());
        Files.move(elfWithSymbols(".symtab", 2, ID), debugFile);

        CommandLineRun both =
                CommandLineRun.of("symbols", stripped.toString(), "main", "--debug-dir", debug.toString());
        CommandLineRun alone =
                CommandLineRun.of("symbols", stripped.toString(), "main", "--debug-dir", scratch.toString());

        assertThat(both.out()).hasLineCount(1).endsWith(" .text .dynsym,debug:.symtab main\n");
        assertThat(both.err())
                .isEqualTo("offsetd: " + stripped + " has no .symtab; reading its debug file " + debugFile + " too\n");
        assertThat(alone.out()).hasLineCount(1).endsWith(" .text .dynsym main\n");
        assertThat(alone.err()).contains("no debug file is installed").hasLineCount(1);
    }

    /**
     * Writes a file with the symbols {@code main} and {@code main.cold}, the latter with a value and size near 2^64.
     */
    private Path elfWithSymbols(String table, int type, byte... id) throws IOException {
        return symbols(table, type).buildId(id).writeTo(scratch.resolve("with" + table));
    }

    private static ElfWriter symbols(String table, int type) {
        byte[] entries = new byte[72];
        ByteBuffer.wrap(entries)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(24, 1)
                .put(28, (byte) 0x12)
                .putShort(30, (short) 1)
                .putLong(32, 0x1000)
                .putLong(40, 16)
                .putInt(48, 6)
                .put(52, (byte) 0x02)
                .putShort(54, (short) 1)
                .putLong(56, -16)
                .putLong(64, -1);
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .loaded(".text", 0x1000, new byte[32])
                .section(".strtab", 3, 0, 0, 0, "\0main\0main.cold\0".getBytes(StandardCharsets.UTF_8))
                .section(table, type, 2, 1, 24, entries);
    }

    @Test
    void fileWithoutBuildIdIsSaid() throws IOException {
        CommandLineRun run = CommandLineRun.of("build-id", elf("without-id").toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("no build-id").hasLineCount(1);
    }

    @Test
    void filesThatCannotBeReadAreOneLineAndExitCode3() throws IOException {
        Path text = Files.writeString(scratch.resolve("text"), "hello");
        for (String path : List.of(scratch + "/none", scratch.toString(), text.toString())) {
            for (List<String> command :
                    List.of(List.of("build-id"), List.of("types"), List.of("symbols"), List.of("extract", "--all"))) {
                List<String> arguments = new ArrayList<>(command);
                arguments.add(path);
                CommandLineRun run = CommandLineRun.of(arguments.toArray(String[]::new));
                assertThat(run.exitCode()).as(arguments.toString()).isEqualTo(3);
                assertThat(run.out()).as(arguments.toString()).isEmpty();
                assertThat(run.err())
                        .as(arguments.toString())
                        .startsWith("offsetd: ")
                        .contains(path)
                        .hasLineCount(1);
            }
        }
    }

    @Test
    void fileOfAnotherFormatIsNamed() throws IOException {
        Path pe = copy("/fixtures/other-formats/one.dll", scratch.resolve("one.dll"));

        assertThat(CommandLineRun.of("extract", pe.toString(), "point"))
                .isEqualTo(new CommandLineRun(
                        3,
                        "",
                        "offsetd: " + pe
                                + ": elf header+0x0: expected an ELF file; this is a PE file (Windows, EFI)\n"));
    }

    @Test
    void strippedFileLeadsToItsDebugFile() throws IOException {
        Path stripped = elf("libstripped.so", ID);
        Path folder = scratch.resolve("debug");
        Path debugFile = folder.resolve(".build-id/12/" + ID_TEXT.substring(2) + ".debug");
        Files.createDirectories(folder.resolve(".build-id/12"));
        Files.createDirectory(scratch.resolve("none"));
        elfWithSections(debugFile, ID);

        CommandLineRun run = CommandLineRun.of(
                "types", stripped.toString(), "--debug-dir", scratch + "/none", "--debug-dir", folder.toString());

        assertThat(run.err()).contains(stripped + " has no DWARF; reading its debug file " + debugFile);
    }

    /**
     * Without a build-id, the debug file is found by name: beside the file, in .debug/, and below each debug folder.
     */
    @Test
    void debugLinkIsFollowedWhereGdbFollowsIt() throws IOException {
        String fixture = "/fixtures/gcc12-dwarf5-debuglink/";
        Path bin = Files.createDirectories(scratch.resolve("usr/bin"));
        Path stripped = copy(fixture + "stripped.so", bin.resolve("stripped.so"));
        Path debugFolder = Files.createDirectories(scratch.resolve("debug"));
        String[] command = {"extract", stripped.toString(), "nested.inner.b", "--debug-dir", debugFolder.toString()};
        Path below = debugFolder.resolve(bin.toString().substring(1)).resolve("layout.debug");

        assertThat(CommandLineRun.of(command).err())
                .contains("no debug file in \"" + bin.resolve("layout.debug") + "\", \""
                        + bin.resolve(".debug/layout.debug") + "\", \"" + below + "\"; install the package");
        for (Path place : List.of(below, bin.resolve(".debug/layout.debug"), bin.resolve("layout.debug"))) {
            Files.createDirectories(place.getParent());
            copy(fixture + "layout.debug", place);
            assertThat(CommandLineRun.of(command))
                    .isEqualTo(new CommandLineRun(
                            0,
                            "nested.inner.b: offset 24, 8 bytes, long int\n",
                            "offsetd: " + stripped + " has no DWARF; reading its debug file " + place + "\n"));
            Files.delete(place);
        }
    }

    @Test
    void placesAreNamedOnceAndTheFirstOfManyOnly() throws IOException {
        Path real = Files.createDirectories(scratch.resolve("usr/lib"));
        Path linked = Files.createSymbolicLink(scratch.resolve("lib"), real);
        Path stripped = copy("/fixtures/gcc12-dwarf5-debuglink/stripped.so", real.resolve("stripped.so"));
        List<String> command = new ArrayList<>(
                List.of("types", linked.resolve(stripped.getFileName()).toString()));
        for (String name : List.of("a", "b")) {
            command.addAll(List.of(
                    "--debug-dir",
                    Files.createDirectories(scratch.resolve(name)).toString()));
        }

        String error = CommandLineRun.of(command.toArray(String[]::new)).err();

        assertThat(error)
                .doesNotContain("\"" + real)
                .contains("no debug file in \"" + linked.resolve("layout.debug") + "\", ")
                .containsPattern(
                        "\" and \\d more; install .*, name its folder with --debug-dir, or pass the unstripped file");
    }

    @Test
    void programThatIsNotStrippedNeedsDashG() throws IOException {
        CommandLineRun run =
                CommandLineRun.of("types", elfWithSymbols(".symtab", 2, ID).toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err())
                .endsWith("; it is not stripped, so compile it with -g\n")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"extract FILE point", "types FILE", "symbols FILE", "diff FILE FILE", "resolve FILE a"})
    void folderOfDebugFilesHasToExist(String line) {
        String[] command = (line.replace("FILE", file.toString()) + " --debug-dir " + scratch + "/none").split(" ", -1);

        CommandLineRun run = CommandLineRun.of(command);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("offsetd: --debug-dir is \"" + scratch + "/none\"; expected a folder\n");
    }

    @Test
    void equalFilesAreReportedOnStandardError() {
        CommandLineRun text = CommandLineRun.of("diff", file.toString(), file.toString());
        CommandLineRun json = CommandLineRun.of("diff", file.toString(), file.toString(), "--json");

        assertThat(text).isEqualTo(new CommandLineRun(0, "", "offsetd: no differences\n"));
        assertThat(json.err()).isEmpty();
        assertThat(json.out()).contains("\"same\":true");
    }

    @Test
    void binaryIsNotWrittenToATerminal() {
        for (String out : List.of("", "-", "/dev/tty")) {
            StringWriter err = new StringWriter();
            Console console = new Console(new StringWriter(), new PrintWriter(err), null, Console.Output.TERMINAL);
            List<String> arguments = new ArrayList<>(List.of("export", file.toString(), "--format", "btf"));
            if (!out.isEmpty()) {
                arguments.addAll(List.of("--output", out));
            }

            int exitCode = CommandLineRun.on(console, arguments.toArray(String[]::new));

            assertThat(exitCode).as(out).isEqualTo(2);
            assertThat(err.toString())
                    .contains("BTF is binary, and the output is a terminal; expected a file or a pipe");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"btf", "isf"})
    void exportNamesItemsThatAreNotFound(String format) {
        String out = scratch.resolve("out").toString();

        CommandLineRun run = CommandLineRun.of(
                "export", file.toString(), "--format", format, "--types", "pointrs,nested", "--output", out);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("offsetd: pointrs: the build has no type for this item; did you mean pointers?\n");
    }

    @Test
    void outputThatCannotBeWrittenSaysWhy() {
        Path out = scratch.resolve("none/out.btf");

        CommandLineRun run =
                CommandLineRun.of("export", file.toString(), "--format", "btf", "--output", out.toString());

        assertThat(run)
                .isEqualTo(new CommandLineRun(
                        5, "", "offsetd: cannot write the output: " + out + ": no such file or folder\n"));
    }

    @Test
    void debugFileOfAnotherChecksumIsPassedOver() throws IOException {
        String fixture = "/fixtures/gcc12-dwarf5-debuglink/";
        Path stripped = copy(fixture + "stripped.so", scratch.resolve("stripped.so"));
        Path other = copy("/fixtures/gcc12-dwarf4-x86_64-el/layout.debug", scratch.resolve(".layout"));
        Files.delete(file);
        Files.move(other, file);
        Path right = scratch.resolve(".debug/layout.debug");

        CommandLineRun wrong = CommandLineRun.of("extract", stripped.toString(), "nested.inner.b");
        Files.createDirectories(right.getParent());
        copy(fixture + "layout.debug", right);
        CommandLineRun both = CommandLineRun.of("extract", stripped.toString(), "nested.inner.b");

        assertThat(wrong.exitCode()).isEqualTo(3);
        assertThat(wrong.err())
                .containsPattern(file + " skipped: its CRC-32 is [0-9a-f]{8}; .gnu_debuglink of " + stripped
                        + " expects [0-9a-f]{8}\n");
        assertThat(both.exitCode()).isZero();
        assertThat(both.err()).contains(file + " skipped: ").contains("reading its debug file " + right);
    }

    @Test
    void supplementaryFileIsTakenFromADebugFolder() throws IOException {
        String fixture = "/fixtures/gcc12-dwarf5-supplementary-installed/";
        Path linking = copy(fixture + "layout.debug", scratch.resolve("linking.debug"));
        Path debugFolder = scratch.resolve("debug");
        Path dwz = Files.createDirectories(debugFolder.resolve(".dwz/x86_64-linux-gnu"));
        copy(fixture + "common.debug", dwz.resolve("layout.debug"));

        for (List<String> command : List.of(
                List.of("extract", linking.toString(), "arrays.grid"),
                List.of("resolve", linking.toString(), "arrays+4"))) {
            List<String> withFolder = new ArrayList<>(command);
            withFolder.addAll(List.of("--debug-dir", debugFolder.toString()));
            assertThat(CommandLineRun.of(command.toArray(String[]::new)).err())
                    .contains("needs \"/usr/lib/debug/.dwz/");
            assertThat(CommandLineRun.of(withFolder.toArray(String[]::new)).exitCode())
                    .isZero();
        }
        assertThat(CommandLineRun.of("types", linking.toString(), "--debug-dir", debugFolder.toString())
                        .exitCode())
                .isZero();
    }

    @Test
    void debugFileOfAnotherBuildIsPassedOver() throws IOException {
        Path stripped = elf("libstripped.so", ID);
        Path folder = scratch.resolve("debug");
        Path debugFile = folder.resolve(".build-id/12/" + ID_TEXT.substring(2) + ".debug");
        Files.createDirectories(folder.resolve(".build-id/12"));
        byte[] other = ID.clone();
        other[7] = 0;
        elfWithSections(debugFile, other);

        CommandLineRun run = CommandLineRun.of("types", stripped.toString(), "--debug-dir", folder.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err())
                .contains(debugFile + " skipped: its build-id is 123456789abcde00")
                .contains("no debug file in \"" + debugFile + "\"");
    }

    @Test
    void typesAreListedByName() {
        CommandLineRun run = CommandLineRun.of("types", file.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .containsPattern("(?m)^struct +8 point$")
                .containsPattern("(?m)^union +8 number$")
                .containsPattern("(?m)^enum +4 colour$");
        List<String> names = run.out().lines().map(line -> line.substring(19)).toList();
        assertThat(names).isSorted();
    }

    @Test
    void typesAsJsonAreTheSame() {
        List<String> lines =
                CommandLineRun.of("types", file.toString()).out().lines().toList();
        JsonNode types = JsonMapper.shared()
                .readTree(CommandLineRun.of("types", file.toString(), "--json").out())
                .path("types");

        assertThat(types.valueStream()
                        .map(type -> "%-7s %10s %s"
                                .formatted(
                                        type.path("kind").asString(),
                                        type.path("size").isNull()
                                                ? "-"
                                                : type.path("size").asString(),
                                        type.path("qualifiedName").asString())))
                .containsExactlyElementsOf(lines);
    }

    @Test
    void extractIsATableForEachItem() {
        CommandLineRun run =
                CommandLineRun.of("extract", file.toString(), "struct point,nested.inner.b", "colour,nope");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines().map(String::stripTrailing))
                .containsExactly(
                        "struct point: struct, 8 bytes (language C11)",
                        "    offset     size       bits  member",
                        "         0        4             x                        int",
                        "         4        4             y                        int",
                        "",
                        "nested.inner.b: offset 24, 8 bytes, long int",
                        "",
                        "colour: enum, 4 bytes (language C11)",
                        "  RED = 0",
                        "  GREEN = 5",
                        "  BLUE = 6",
                        "",
                        "nope: type_not_found");
    }

    @Test
    void extractAsJsonHasTheServersForm() {
        CommandLineRun run = CommandLineRun.of("extract", file.toString(), "point.y,nope", "--json");
        JsonNode answer = JsonMapper.shared().readTree(run.out());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(answer.path("arch").path("machine").asString()).isEqualTo("x86_64");
        assertThat(answer.path("complete").asBoolean(true)).isFalse();
        assertThat(answer.path("offsets").path("point.y").path("offset").asInt(-1))
                .isEqualTo(4);
        assertThat(answer.path("offsets").path("nope").path("status").asString())
                .isEqualTo("type_not_found");
    }

    @Test
    void typesBehindPointersAndVariablesAreReadAlthoughNoItemNamesThem() {
        JsonNode offsets = JsonMapper.shared()
                .readTree(CommandLineRun.of(
                                "extract",
                                file.toString(),
                                "g_pointers->next->frozen.x|pointers.next->text,pointers.next->next->frozen.y",
                                "--json")
                        .out())
                .path("offsets");

        JsonNode variable = offsets.path("g_pointers->next->frozen.x|pointers.next->text");
        assertThat(variable.path("matched").asString()).isEqualTo("g_pointers->next->frozen.x");
        assertThat(variable.path("symbol").asString()).isEqualTo("g_pointers");
        assertThat(variable.path("address").asString()).startsWith("0x");
        offsets.forEach(item -> {
            assertThat(item.path("status").asString()).isEqualTo("found");
            assertThat(item.path("steps").path(1).toString()).isEqualTo("{\"deref\":true,\"pointerSize\":8}");
            assertThat(item.has("offset")).isFalse();
        });
    }

    @Test
    void expressionsOfTracersStartFromTheBase() {
        assertThat(CommandLineRun.of(
                                "extract",
                                file.toString(),
                                "pointers.next->next->text",
                                "--format",
                                "tracefs",
                                "--base",
                                "%si")
                        .out())
                .isEqualTo("pointers_next_next_text=+8(+24(+24(%si))):x64\n");
        assertThat(CommandLineRun.of("extract", file.toString(), "pointers.next->text", "--format", "bpftrace")
                        .out())
                .isEqualTo("$pointers_next_text = *(uint64*)(*(uint64*)(arg0 + 24) + 8);\n");
        assertThat(CommandLineRun.of("extract", file.toString(), "point,enumerator RED", "--format", "tracefs")
                        .out())
                .isEqualTo("""
                        # point: a type has no expression; name a member, such as point.x
                        # enumerator RED: an enumerator has no address
                        """);
        CommandLineRun refused =
                CommandLineRun.of("extract", file.toString(), "pointers.next", "--format", "tracefs", "--base", "a b");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--base", "a b", "expected a register");
    }

    @Test
    void flatViewIsOffsetAndSize() {
        CommandLineRun run = CommandLineRun.of("extract", file.toString(), "point", "--json", "--view", "flat");

        assertThat(JsonMapper.shared().readTree(run.out()).path("offsets"))
                .isEqualTo(JsonMapper.shared().readTree("""
                    {"point": [0, 8], "point.x": [0, 4], "point.y": [4, 4]}\
                    """));
    }

    @Test
    void allAnswersEveryNameOfTheList() {
        CommandLineRun all = CommandLineRun.of("extract", file.toString(), "--all", "--json");
        Stream<String> names = CommandLineRun.of("types", file.toString())
                .out()
                .lines()
                .map(line -> line.substring(19))
                .distinct();

        assertThat(all.exitCode()).isZero();
        assertThat(JsonMapper.shared().readTree(all.out()).path("offsets").propertyNames().stream()
                        .map(name -> name.replace("\"", "")))
                .containsExactlyElementsOf(names.toList());
    }

    @Test
    void definitionsAreWhatAnotherReaderSees() throws IOException {
        CommandLineRun run = CommandLineRun.of("extract", file.toString(), "--definitions");
        JsonNode expected;
        try (InputStream in = resource("expected.json")) {
            expected = JsonMapper.shared().readTree(in);
        }

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().map(FileCommandsTests::comparable))
                .containsExactlyElementsOf(expected.valueStream()
                        .map(FileCommandsTests::comparable)
                        .toList());
    }

    @Test
    void definitionsHaveTheirPropertiesInOrder() {
        JsonNode point = CommandLineRun.of("extract", file.toString(), "--definitions")
                .out()
                .lines()
                .map(JsonMapper.shared()::readTree)
                .filter(definition -> definition.path("name").asString().equals("point"))
                .findFirst()
                .orElseThrow();

        assertThat(point.propertyNames())
                .containsExactly("dieOffset", "unit", "language", "kind", "name", "qualifiedName", "size", "members");
        assertThat(point.path("members").get(0).toString())
                .isEqualTo("{\"name\":\"x\",\"bitOffset\":0,\"size\":4,\"type\":\"int\"}");
    }

    @Test
    void valueOfAnUnsignedEnumeratorIsNotNegative() {
        assertThat(CommandLineRun.of("extract", file.toString(), "--definitions")
                        .out())
                .contains("{\"name\":\"TOP\",\"value\":18446744073709551615}")
                .contains("{\"name\":\"BELOW\",\"value\":-3}");
    }

    @Test
    void resultDoesNotDependOnTheNumberOfThreads() {
        assertThat(CommandLineRun.of("extract", file.toString(), "--all", "--json", "--threads", "1"))
                .isEqualTo(CommandLineRun.of("extract", file.toString(), "--all", "--json", "--threads", "7"));
    }

    /** Reduces a definition of either reader to the properties that both report. */
    private static JsonNode comparable(JsonNode definition) {
        ObjectNode out = JsonMapper.shared().createObjectNode();
        for (String property : Arrays.asList("dieOffset", "unit", "kind", "name", "size")) {
            if (definition.hasNonNull(property)) {
                out.set(property, definition.get(property));
            }
        }
        for (JsonNode enumerator : definition.path("enumerators")) {
            // The other reader prints enumerators in two's complement, signed or not.
            out.withObject("enumerators")
                    .put(
                            enumerator.path("name").asString(),
                            enumerator.path("value").bigIntegerValue().longValue());
        }
        for (JsonNode member : definition.path("members")) {
            ObjectNode copy = out.withArray("members").addObject();
            for (String property : Arrays.asList("name", "base", "bitOffset", "bitSize", "size")) {
                if (member.hasNonNull(property)) {
                    copy.set(property, member.get(property));
                }
            }
        }
        return out;
    }

    private static JsonNode comparable(String line) {
        return comparable(JsonMapper.shared().readTree(line));
    }

    private Path elf(String name, byte... id) throws IOException {
        ElfWriter elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN);
        return (id.length == 0 ? elf : elf.buildId(id)).writeTo(scratch.resolve(name));
    }

    private static void elfWithSections(Path path, byte... id) throws IOException {
        new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(id)
                .section(".debug_abbrev", new byte[] {0})
                .section(".debug_info", new byte[] {8, 0, 0, 0, 5, 0, 1, 8, 0, 0, 0, 0})
                .writeTo(path);
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(FileCommandsTests.class.getResourceAsStream(FIXTURE + name), name);
    }
}
