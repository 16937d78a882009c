package dev.offsetd.query.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.export.ExportedLayouts;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Findings for a BPF program, with the log of libbpf as the judge: bpftool resolves the relocations of a program by libbpf when it
 * minimizes BTF, for which it needs no privileges.
 */
class ProgramCheckIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);
    private static final Path HEADERS = Path.of("/usr/include/bpf/bpf_core_read.h");

    private static final Pattern LINE = Pattern.compile("libbpf: prog '.*?': relo #([0-9]+): (.*)");
    private static final Pattern ASKED =
            Pattern.compile("<(\\w+)> \\[[0-9]+] (.*?)(?: \\([0-9:]+ @ offset [0-9.]+\\))?");

    private static final Map<String, String> KINDS = Map.ofEntries(
            Map.entry("byte_off", "field_byte_offset"),
            Map.entry("byte_sz", "field_byte_size"),
            Map.entry("field_exists", "field_exists"),
            Map.entry("signed", "field_signed"),
            Map.entry("lshift_u64", "field_lshift_u64"),
            Map.entry("rshift_u64", "field_rshift_u64"),
            Map.entry("target_type_id", "type_id_target"),
            Map.entry("type_exists", "type_exists"),
            Map.entry("type_size", "type_size"),
            Map.entry("enumval_exists", "enumval_exists"),
            Map.entry("enumval_value", "enumval_value"));

    @TempDir
    private static Path folder;

    @BeforeAll
    static void requireHeaders() {
        if (!Files.exists(HEADERS)) {
            throw RequiredTool.unavailable("libbpf-dev is not installed");
        }
    }

    private static Path object(Path source) throws IOException {
        return object("bpf", source);
    }

    private static Path object(String target, Path source) throws IOException {
        Path object = folder.resolve(source.getFileName() + "." + target + ".o");
        RequiredTool.require("clang")
                .output(
                        "-g",
                        "-O2",
                        "-target",
                        target,
                        "-D__TARGET_ARCH_x86",
                        "-I/usr/include/x86_64-linux-gnu",
                        "-c",
                        source,
                        "-o",
                        object);
        return object;
    }

    private static Path object(String name, String text) throws IOException {
        return object("bpf", name, text);
    }

    private static Path object(String target, String name, String text) throws IOException {
        return object(target, Files.writeString(folder.resolve(name), """
                #include <linux/bpf.h>
                #include <bpf/bpf_helpers.h>
                #include <bpf/bpf_core_read.h>
                #define CORE __attribute__((preserve_access_index))
                char LICENSE[] SEC("license") = "GPL";
                volatile long sink;
                #define READ(member) do { void *p; bpf_core_read(&p, sizeof p, &(member)); sink += (long)p; } while (0)
                """ + text));
    }

    private static Path resource(String name) throws IOException {
        URL found = Objects.requireNonNull(ProgramCheckIntegrationTests.class.getResource("/checks/" + name), name);
        try {
            return Path.of(found.toURI());
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** BTF of compiled C sources, one unit each, by pahole. */
    private static Path btf(String name, Path... sources) throws IOException {
        Path library = folder.resolve(name + ".so");
        List<Object> words = new ArrayList<>(List.of("-g", "-shared", "-fPIC", "-nostdlib", "-o", library));
        words.addAll(List.of(sources));
        RequiredTool.require("gcc").output(words.toArray());
        Path btf = folder.resolve(name + ".btf");
        RequiredTool.require("pahole").output("--btf_encode_detached=" + btf, library);
        return btf;
    }

    private static List<String> minimizing(Path btf, Path object) throws IOException {
        Path bpftool = RequiredTool.require("bpftool").path();
        return log(bpftool, "-d", "gen", "min_core_btf", btf, folder.resolve("minimized.btf"), object);
    }

    private static List<String> log(Object... words) throws IOException {
        List<String> command = Stream.of(words).map(Object::toString).toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }

    /** Returns what libbpf found out of each relocation: kind, name, and resolved, absent or ambiguous. */
    private static Set<String> judged(List<String> log) {
        Map<String, String> asked = new HashMap<>();
        Map<String, String> results = new HashMap<>();
        for (String line : log) {
            Matcher relocation = LINE.matcher(line);
            if (!relocation.matches()) {
                continue;
            }
            String number = relocation.group(1);
            String text = relocation.group(2);
            Matcher question = ASKED.matcher(text);
            if (question.matches()) {
                asked.put(number, KINDS.get(question.group(1)) + " " + name(question.group(2)));
            } else if (text.startsWith("matching candidate")) {
                results.putIfAbsent(number, "resolved");
            } else if (text.contains("ambiguity")) {
                results.put(number, "ambiguous");
            } else if (text.equals("no matching targets found")) {
                results.put(number, "absent");
            }
        }
        TreeSet<String> judged = new TreeSet<>();
        asked.forEach((number, question) -> {
            if (!question.startsWith("null")) {
                judged.add(question + " " + results.get(number));
            }
        });
        return judged;
    }

    /** Returns the name in libbpf's log as findings have it. */
    private static String name(String logged) {
        String name = logged.replaceAll("___\\w+|^typedef ", "");
        return name.contains("::") ? "enumerator " + name.replaceAll(".*::|,? = .*", "") : name;
    }

    private static Set<String> found(TypeIndex types, Path object) throws IOException, ExtractionException {
        ProgramCheck check = new ProgramCheck(BpfObject.program(Files.readAllBytes(object)));
        TreeSet<String> found = new TreeSet<>();
        for (Finding finding : check.findings(types)) {
            found.add(finding.kind() + " " + finding.name() + " "
                    + finding.status().word().replace("_guarded", ""));
        }
        return found;
    }

    private static ExtractionReport read(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::extractAll);
    }

    @Test
    void relocationsOfEveryKindAreResolvedAsLibbpfResolvesThem() throws IOException, ExtractionException {
        Path byPahole = btf("target", resource("target.c"));
        ExtractionReport dwarf = read(folder.resolve("target.so"));
        Path ours = Files.write(folder.resolve("ours.btf"), ExportedLayouts.btf(dwarf));
        Path object = object(resource("program.bpf.c"));
        Set<String> judged = judged(minimizing(ours, object));

        assertThat(judged).hasSizeGreaterThan(50);
        assertThat(found(dwarf.types(), object)).containsExactlyElementsOf(judged);
        assertThat(found(read(ours).types(), object)).containsExactlyElementsOf(judged);
        // pahole makes one dimension of arrays that have several.
        assertThat(found(read(byPahole).types(), object))
                .containsExactlyElementsOf(judged(minimizing(byPahole, object)));
    }

    @Test
    void typesOfOneNameThatDifferAreAmbiguousIfLibbpfRefusesThem() throws IOException, ExtractionException {
        Path first = Files.writeString(folder.resolve("first.c"), """
                struct twice { int same; long moved; char both; };
                enum many { LOW = 1, HIGH = 2 };
                struct twice one; enum many few;
                """);
        Path second = Files.writeString(folder.resolve("second.c"), """
                struct twice { int same; long more; long moved; long long both; };
                enum many { LOW = 1, HIGH = 3, MOST = 4 };
                struct twice two; enum many more;
                """);
        Path btf = btf("twice", first, second);
        TypeIndex dwarf = read(folder.resolve("twice.so")).types();
        TypeIndex types = read(btf).types();
        int number = 0;
        // libbpf ends at the first relocation that it refuses.
        for (String relocation : List.of(
                "READ(t->same);",
                "READ(t->moved);",
                "READ(t->more);",
                "sink += bpf_core_field_exists(t->same);",
                "sink += bpf_core_field_exists(t->moved);",
                "sink += bpf_core_field_exists(t->more);",
                "sink += bpf_core_field_size(t->same);",
                "sink += bpf_core_field_size(t->both);",
                "sink += bpf_core_type_size(struct twice);",
                "sink += bpf_core_type_exists(struct twice);",
                "sink += bpf_core_type_id_kernel(struct twice);",
                "sink += bpf_core_enum_value(enum many, LOW);",
                "sink += bpf_core_enum_value(enum many, HIGH);",
                "sink += bpf_core_enum_value(enum many, MOST);",
                "sink += bpf_core_enum_value_exists(enum many, HIGH);")) {
            Path object = object("twice" + number++ + ".bpf.c", """
                    enum many { LOW = 1, HIGH = 2, MOST = 4 };
                    struct twice { int same; long more; long moved; char both; } CORE;
                    SEC("uprobe") int probe(void *context) { struct twice *t = context; %s return 0; }
                    """.formatted(relocation));
            Set<String> judged = judged(minimizing(btf, object));

            assertThat(judged).as(relocation).isNotEmpty();
            assertThat(found(dwarf, object)).as(relocation).containsExactlyElementsOf(judged);
            assertThat(found(types, object)).as(relocation + " in BTF").containsExactlyElementsOf(judged);
        }
    }

    /** An instruction that loads a member of another size would read another number, and libbpf makes it invalid. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sink += t->same;           | same    | resolved",
                "sink += t->grown;          | grown   | absent",
                "t->grown = 1;              | grown   | absent",
                "READ(t->grown);            | grown   | resolved",
                "sink += t->wide;           | wide    | resolved",
                "sink += t->narrow;         | narrow  | resolved",
                "sink += t->mixed;          | mixed   | absent",
                "sink += t->huge;           | huge    | absent",
                "sink += t->bits;           | bits    | absent",
                "sink += t->colour;         | colour  | absent",
                "sink += (long)t->pointer;  | pointer | resolved",
                "sink += t->list[2];        | list[2] | absent"
            })
    void memberOfAnotherSizeIsLoadedIfLibbpfAdaptsTheInstruction(String body, String member, String expected)
            throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("sizes.c"), """
                enum colour { RED = 1, MANY = 1L << 40 };
                struct thing { int same; long grown; unsigned long wide; unsigned char narrow; int mixed;
                    unsigned __int128 huge; unsigned bits : 7; enum colour colour; void *pointer; long list[4]; } thing;
                """);
        Path btf = btf("sizes", source);
        Path object = object("sizes.bpf.c", """
                enum colour { RED = 1 };
                struct thing { int same, grown; unsigned wide; unsigned long narrow, mixed, huge; unsigned bits;
                    enum colour colour; void *pointer; int list[4]; } CORE;
                SEC("uprobe") int probe(void *context) { struct thing *t = context; %s return 0; }
                """.formatted(body));

        assertThat(new ProgramCheck(BpfObject.program(Files.readAllBytes(object)))
                        .findings(read(folder.resolve("sizes.so")).types()).stream()
                                .map(finding ->
                                        finding.name() + " " + finding.status().word()))
                .containsExactly("struct thing." + member + " " + expected);
        List<String> loaded = log(loader(), object, btf);
        assertThat(loaded.contains("loaded: 0") && loaded.stream().noneMatch(line -> line.contains("w/ invalid insn")))
                .as(String.join("\n", loaded))
                .isEqualTo(expected.equals("resolved"));
    }

    /** An instruction has 16 bits for the offset, and libbpf refuses a whole object that needs more, wherever it does. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sink += t->last;                                        | last | resolved",
                "sink += t->far;                                         | far  | absent",
                "t->far = 1;                                             | far  | absent",
                "READ(t->far);                                           | far  | resolved",
                "if (bpf_core_field_exists(t->gone)) sink += t->far;     | far  | absent"
            })
    void memberThatIsTooFarForALoadIsAbsentAsLibbpfRefusesTheObject(String body, String member, String expected)
            throws IOException, ExtractionException {
        Path source = Files.writeString(
                folder.resolve("far.c"), "struct thing { char pad[32760]; int last, more, far; } thing;");
        Path btf = btf("far", source);
        Path object = object("far.bpf.c", """
                struct thing { int last, far, gone; } CORE;
                SEC("uprobe") int probe(void *context) { struct thing *t = context; %s return 0; }
                """.formatted(body));

        assertThat(new ProgramCheck(BpfObject.program(Files.readAllBytes(object)))
                        .findings(read(folder.resolve("far.so")).types()).stream()
                                .filter(finding -> finding.name().equals("struct thing." + member))
                                .map(finding -> finding.status().word()))
                .containsExactly(expected);
        List<String> loaded = log(loader(), object, btf);
        assertThat(loaded.contains("loaded: 0")).as(loaded.toString()).isEqualTo(expected.equals("resolved"));
    }

    /**
     * A program that loads an object with a file of BTF by libbpf, which prints how it relocates each instruction. The
     * kernel is not asked, which would need root: it answers each call of {@code bpf} with a descriptor or success.
     */
    private static Path loader() throws IOException {
        Path program = folder.resolve("load");
        if (!Files.exists(program)) {
            Path source = Files.writeString(folder.resolve("load.c"), """
                    #define _GNU_SOURCE
                    #include <bpf/libbpf.h>
                    #include <dlfcn.h>
                    #include <fcntl.h>
                    #include <linux/bpf.h>
                    #include <stdarg.h>
                    #include <stdio.h>
                    #include <sys/syscall.h>
                    long syscall(long number, ...) {
                        long a[6];
                        va_list list;
                        va_start(list, number);
                        for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
                        va_end(list);
                        if (number == SYS_bpf)
                            return a[0] == BPF_MAP_CREATE || a[0] == BPF_PROG_LOAD || a[0] == BPF_BTF_LOAD
                                ? open("/dev/null", O_RDONLY) : 0;
                        long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
                        return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
                    }
                    static int print(enum libbpf_print_level level, const char *format, va_list list) {
                        return vprintf(format, list);
                    }
                    int main(int count, char **words) {
                        libbpf_set_print(print);
                        LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = words[2]);
                        struct bpf_object *object = bpf_object__open_file(words[1], &options);
                        printf("loaded: %d\\n", object ? bpf_object__load(object) : 1);
                    }
                    """);
            RequiredTool.require("gcc").output("-rdynamic", "-o", program, source, "-lbpf");
        }
        return program;
    }

    /** The kernel's verifier follows no branch that a number of libbpf excludes. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "if (bpf_core_field_exists(t->gone)) READ(t->gone);                                  | absent_guarded",
                "if (!bpf_core_field_exists(t->gone)) return 0; READ(t->gone);                       | absent_guarded",
                "if (bpf_core_field_exists(t->gone) && sink > 3) READ(t->gone);                      | absent_guarded",
                "if (sink > 3 && bpf_core_field_exists(t->gone)) READ(t->gone);                      | absent_guarded",
                "if (bpf_core_type_size(struct lost)) READ(t->gone);                                 | absent_guarded",
                "if (bpf_core_type_exists(struct lost)) READ(t->gone); else READ(t->here);           | absent_guarded",
                "if (bpf_core_enum_value_exists(enum colour, BLUE)) READ(t->gone);                   | absent_guarded",
                "int has = bpf_core_field_exists(t->gone) ? 2 : 3; if (has == 2) READ(t->gone);      | absent_guarded",
                "if (bpf_core_field_size(t->here) == 8) READ(t->gone);                               | absent_guarded",
                "if (bpf_core_type_size(struct thing) > 4) READ(t->gone);                            | absent_guarded",
                "if (bpf_core_field_size(t->here) == 4) READ(t->gone);                               | absent",
                "if (bpf_core_field_exists(t->gone)) sink++; READ(t->gone);                          | absent",
                "if (bpf_core_field_exists(t->gone)) READ(t->gone); if (sink) READ(t->gone);         | absent",
                "if (bpf_core_field_exists(t->here)) READ(t->gone);                                  | absent",
                "if (bpf_core_type_exists(struct lost)) sink++; else READ(t->gone);                  | absent",
                "if (bpf_core_field_exists(t->gone) + sink) READ(t->gone);                           | absent"
            })
    void missingMemberIsGuardedIfNoInstructionThatCanRunUsesIt(String body, String expected)
            throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("present.c"), """
                enum colour { RED = 1 } colour;
                struct thing { int here; } thing;
                """);
        Path library = folder.resolve("present.so");
        RequiredTool.require("gcc").output("-g", "-shared", "-fPIC", "-nostdlib", "-o", library, source);
        TypeIndex build = read(library).types();
        String program = """
                enum colour { RED = 1, BLUE = 2 };
                struct lost { long a; } CORE;
                struct thing { int here; long gone; } CORE;
                SEC("uprobe") int probe(void *context) { struct thing *t = context; %s return 0; }
                """.formatted(body);
        for (String target : List.of("bpf", "bpfeb")) {
            Path object = object(target, "guarded.bpf.c", program);
            assertThat(new ProgramCheck(BpfObject.program(Files.readAllBytes(object)))
                            .findings(build).stream()
                                    .filter(finding -> finding.name().equals("struct thing.gone"))
                                    .filter(finding -> Objects.equals(finding.kind(), "field_byte_offset"))
                                    .map(finding -> finding.status().word()))
                    .as(target)
                    .containsExactly(expected);
        }
    }
}
