package dev.offsetd.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.Gdb;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/co-re-userspace}, on a program with the types of a Ruby. */
class CoReExampleIntegrationTests {

    private static final Pattern OFFSETS = Pattern.compile("offset|\\b[1-9][0-9]+\\b");

    private static final Pattern RESOLVED = Pattern.compile("btfType: (\\w+), resolve: ([\\w.]+)");

    @TempDir
    private static Path folder;

    private static Path program = Path.of("");

    @BeforeAll
    static void compile() throws IOException {
        for (String header : List.of("bpf/bpf_core_read.h", "bpf/libbpf.h")) {
            if (!Files.exists(Path.of("/usr/include", header))) {
                throw RequiredTool.unavailable("libbpf-dev is not installed");
            }
        }
        try (Stream<Path> sources = Files.list(Path.of("..", "examples", "co-re-userspace"))) {
            for (Path source : sources.toList()) {
                Files.copy(source, folder.resolve(source.getFileName()));
            }
        }
        RequiredTool.require("clang")
                .outputIn(
                        folder,
                        "-g",
                        "-O2",
                        "-target",
                        "bpf",
                        "-D__TARGET_ARCH_x86",
                        "-I/usr/include/x86_64-linux-gnu",
                        "-c",
                        "frames.bpf.c",
                        "-o",
                        "frames.bpf.o");
        program = folder.resolve("ruby");
        try (InputStream source =
                Objects.requireNonNull(CoReExampleIntegrationTests.class.getResourceAsStream("/co-re/ruby.c"))) {
            Files.copy(source, folder.resolve("ruby.c"));
        }
        RequiredTool gcc = RequiredTool.require("gcc");
        gcc.outputIn(folder, "-g", "-O1", "-o", "ruby", "ruby.c");
        gcc.outputIn(folder, "-o", "frames", "frames.c", "-lbpf");
        CommandLineRun run = CommandLineRun.of(
                "export",
                program.toString(),
                "--format",
                "btf",
                "--object",
                folder.resolve("frames.bpf.o").toString(),
                "-o",
                folder.resolve("ruby.btf").toString());
        assertThat(run).isEqualTo(new CommandLineRun(0, "", ""));
    }

    @Test
    void sourceHasNoOffset() throws IOException {
        List<String> code = Files.readAllLines(folder.resolve("frames.bpf.c")).stream()
                .filter(line -> !line.startsWith("//")
                        && !line.contains("max_entries")
                        && !line.contains("get_pid_tgid")
                        && !line.contains("pid_tgid"))
                .toList();
        assertThat(code).noneMatch(line -> OFFSETS.matcher(line).find());
    }

    @Test
    void exportHasWhatTheProgramRelocatesAndNothingElse() throws IOException {
        RequiredTool bpftool = RequiredTool.require("bpftool");
        String dump = bpftool.output("btf", "dump", "file", folder.resolve("ruby.btf"));
        assertThat(dump)
                .contains("STRUCT 'rb_control_frame_struct' size=40")
                .contains("STRUCT 'rb_iseq_constant_body' size=40")
                .doesNotContain("STRUCT 'sigaction'");
        assertThat(bpftool.output("btf", "dump", "file", folder.resolve("ruby.btf"), "format", "c"))
                .contains("struct rb_control_frame_struct {");
        bpftool.output(
                "gen",
                "min_core_btf",
                folder.resolve("ruby.btf"),
                folder.resolve("minimized.btf"),
                folder.resolve("frames.bpf.o"));
        assertThat(bpftool.output("btf", "dump", "file", folder.resolve("minimized.btf")))
                .contains("'iseq' type_id=")
                .contains("bits_offset=128");
    }

    /** Tetragon follows the pointers of a path by itself. */
    @Test
    void policyOfTheDocumentsResolvesInTheExport() throws IOException {
        String policy = Files.readString(Path.of("..", "docs", "exports.md"));
        Path btf = folder.resolve("whole.btf");
        assertThat(CommandLineRun.of("export", program.toString(), "--format", "btf", "-o", btf.toString()))
                .isEqualTo(new CommandLineRun(0, "", ""));
        Files.writeString(
                folder.resolve("whole.h"),
                RequiredTool.require("bpftool").output("btf", "dump", "file", btf, "format", "c"));
        List<String> objects = new ArrayList<>();
        List<String> members = new ArrayList<>();
        Matcher argument = RESOLVED.matcher(policy);
        while (argument.find()) {
            String object = "((struct " + argument.group(1) + " *)0)";
            for (String member : argument.group(2).split("\\.", -1)) {
                objects.add(object);
                members.add(member);
                object = "((__typeof__(" + object + "->" + member + "))0)";
            }
        }
        assertThat(members).contains("cfp", "pc");
        List<String> offsets = new Gdb(program)
                .evaluated(IntStream.range(0, members.size())
                        .mapToObj(i -> "&" + objects.get(i) + "->" + members.get(i))
                        .toList());
        Path source = Files.write(
                folder.resolve("policy.c"),
                Stream.concat(
                                Stream.of("#include \"whole.h\""),
                                IntStream.range(0, members.size())
                                        .mapToObj(i -> "_Static_assert(__builtin_offsetof(__typeof__(*" + objects.get(i)
                                                + "), " + members.get(i) + ") == " + offsets.get(i) + ", \"\");"))
                        .toList());
        RequiredTool.require("gcc").outputIn(folder, "-fsyntax-only", source);
    }

    @Test
    void libbpfPatchesTheOffsetsOfTheProgramAndReadsItsFrames() throws IOException, InterruptedException {
        Process load = start("ruby.btf");
        load.waitFor();
        if (load.exitValue() != 0) {
            // Not root, or a container without bpf(): libbpf says which.
            Assumptions.abort("bpf() is not allowed here: " + output());
        }
        assertThat(output()).containsPattern("patched insn #[0-9]+ \\(ALU/ALU64\\) imm [0-9]+ -> 40\n");
        String address = RequiredTool.require("readelf")
                .output("-sW", program)
                .lines()
                .filter(line -> line.endsWith(" rb_vm_exec"))
                .map(line -> "0x" + line.strip().split(" +", -1)[1])
                .findFirst()
                .orElseThrow();
        Process ruby = new ProcessBuilder(program.toString()).start();
        Process frames = start("ruby.btf", Long.toString(ruby.pid()), program.toString(), address);
        String expected = """
                3 frames
                  pc 0x30 label 0x2222
                  pc 0x0 label 0x0
                  pc 0x10 label 0x1111
                """;
        try {
            for (int i = 0; i < 60 && !output().contains(expected); i++) {
                if (frames.waitFor(1, TimeUnit.SECONDS)) {
                    Assumptions.abort("uprobes are not allowed here: " + output());
                }
            }
        } finally {
            frames.destroy();
            ruby.destroy();
        }
        assertThat(output()).contains(expected);
    }

    private static Process start(String... arguments) throws IOException {
        return new ProcessBuilder(Stream.concat(Stream.of("./frames"), Stream.of(arguments))
                        .toList())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
    }

    private static String output() throws IOException {
        return Files.readString(folder.resolve("output"));
    }
}
