package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Placement;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers for programs that print the layout of their own variables. A line is an item with its offset and size ({@code
 * -} if known only at run time), an item with {@code bits}, its first bit and its width, or an item with {@code
 * computed}.
 */
class RunningProgramsIntegrationTests {

    @TempDir
    private Path folder;

    private Path source(String name) throws IOException {
        URL resource = Objects.requireNonNull(getClass().getResource("/corpus/" + name), name);
        try {
            return Files.copy(Path.of(resource.toURI()), folder.resolve(name));
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    private Path compileFortran(String... options) throws IOException {
        return compile("gfortran", List.of(options), "arrays.f90");
    }

    private Path compileAda(String option) throws IOException {
        source("layouts.ads");
        RequiredTool.require("gnatmake")
                .outputIn(folder, "-q", "-g", option, source("layouts_main.adb"), "-o", "layouts");
        return folder.resolve("layouts");
    }

    private Path compile(String compiler, List<String> options, String... sources) throws IOException {
        Path program = folder.resolve("program");
        List<Object> all = new ArrayList<>(options);
        for (String each : sources) {
            all.add(source(each));
        }
        all.addAll(List.of("-o", program));
        RequiredTool.require(compiler).outputIn(folder, all.toArray());
        return program;
    }

    private static List<String> lines(Path program) throws IOException {
        return RequiredTool.at(program).output().lines().toList();
    }

    /** Returns the reader's answers in the format of the program's output. */
    private static List<String> answers(Path program, List<String> lines) throws IOException, ExtractionException {
        TypeCatalogue types = DebugInfo.read(program, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types();
        return lines.stream()
                .map(line -> line.split(" ", 2)[0])
                .map(item -> item + " "
                        + answer(ItemResolver.resolve(ItemParser.parse(item), types, null)
                                .outcome()))
                .toList();
    }

    private static String answer(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.TypeFound type ->
                "0 " + size(type.definition().shape().byteSize());
            case ItemOutcome.PathFound path -> place(path.placement());
            case ItemOutcome.Computed _ -> "computed";
            default -> outcome.toString();
        };
    }

    private static String place(Placement.Fixed place) {
        return place.isBitField()
                ? "bits " + place.bitOffset() + " " + place.bitSize()
                : place.offset() + " " + size(place.size());
    }

    private static String size(long bytes) {
        return bytes == TypeShape.UNKNOWN_SIZE ? "-" : Long.toString(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-gsplit-dwarf"})
    void fortran(String style) throws IOException, ExtractionException {
        Path program = compileFortran("-g", style);
        List<String> lines = lines(program);
        assertThat(lines).hasSizeGreaterThan(25);
        assertThat(answers(program, lines)).containsExactlyElementsOf(lines);
    }

    /** DWARF 2 cannot describe an allocatable array, so its elements have no answer. */
    @Test
    void fortranOfStrictDwarf2() throws IOException, ExtractionException {
        Path program = compileFortran("-gdwarf-2", "-gstrict-dwarf");
        List<String> lines = lines(program);
        assertThat(answers(program, lines)).containsExactlyElementsOf(lines);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-gdwarf-3", "-gdwarf-4", "-gdwarf-5"})
    void ada(String style) throws IOException, ExtractionException {
        Path program = compileAda(style);
        List<String> lines = lines(program);
        assertThat(lines).hasSizeGreaterThan(25);
        assertThat(answers(program, lines)).containsExactlyElementsOf(lines);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-gw3", "-gw4"})
    void pascal(String style) throws IOException, ExtractionException {
        Path program = folder.resolve("shapes");
        RequiredTool.require("fpc").outputIn(folder, style, source("shapes.pas"), "-o" + program);
        List<String> lines = lines(program);
        assertThat(lines).hasSizeGreaterThan(20);
        assertThat(answers(program, lines)).containsExactlyElementsOf(lines);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-gdwarf-4", "-gdwarf-5"})
    void d(String style) throws IOException, ExtractionException {
        Path program = compile("gdc", List.of(style), "shapes.d");
        List<String> lines = lines(program);
        assertThat(lines).hasSizeGreaterThan(20);
        assertThat(answers(program, lines)).containsExactlyElementsOf(lines);
    }

    /** Upper bounds with the highest bit of their form set are positive; an array without a bound is flexible. */
    @ParameterizedTest
    @CsvSource({"gcc,-gdwarf-2 -gstrict-dwarf", "gcc,-gdwarf-4", "gcc,-gdwarf-5", "clang,-gdwarf-4", "clang,-gdwarf-5"})
    void arraysOfBillionsOfElements(String compiler, String options) throws IOException, ExtractionException {
        Path program = compile(compiler, List.of(options.split(" ", -1)), "bounds.c");
        List<String> lines = lines(program);
        assertThat(lines).hasSizeGreaterThan(20);
        assertThat(answers(program, lines)).containsExactlyElementsOf(lines);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-gdwarf-4", "-gdwarf-5", "-gsplit-dwarf"})
    void membersOfClassesThatAnotherUnitDefines(String style) throws IOException, ExtractionException {
        source("declared.h");
        Path program = compile("g++", List.of("-g", style), "declared_holder.cpp", "declared_keeper.cpp");
        List<String> lines = lines(program);
        assertThat(lines).hasSizeGreaterThan(10);
        assertThat(answers(program, lines)).containsExactlyElementsOf(lines);
    }

    /** In GDB, the item {@code box.c[2][1]} is {@code h%c(2,1)}. */
    @Test
    void gdbSeesFortranInTheSamePlaces() throws IOException {
        Path program = compileFortran("-g");
        List<String> expected = new ArrayList<>();
        List<String> commands = new ArrayList<>(List.of("set language fortran"));
        for (String line : lines(program)) {
            String[] words = line.split(" ", -1);
            if (words[1].equals("computed") || !words[0].contains(".")) {
                continue;
            }
            String variable = words[0].replaceFirst("^small", "arrays::g")
                    .replaceFirst("^box", "arrays::h")
                    .replaceFirst("^child", "arrays::k");
            String expression = variable.replace('.', '%')
                    .replace("][", ",")
                    .replace('[', '(')
                    .replace(']', ')');
            commands.add("print loc(" + expression + ") - loc(" + variable.replaceFirst("\\..*", "") + ")");
            commands.add("print sizeof(" + expression + ")");
            expected.add(words[1]);
            expected.add(words[2]);
        }
        assertThat(gdb(program, commands)).containsExactlyElementsOf(expected);
    }

    private static List<String> gdb(Path program, List<String> commands) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of("-nx", "-batch"));
        commands.forEach(command -> arguments.addAll(List.of("-ex", command)));
        arguments.add(program);
        return RequiredTool.require("gdb")
                .output(arguments.toArray())
                .lines()
                .filter(line -> line.startsWith("$"))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .toList();
    }
}
