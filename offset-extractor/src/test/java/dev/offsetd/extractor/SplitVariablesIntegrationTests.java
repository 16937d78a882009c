package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.Gdb;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Variables of programs that compilers of this machine split, beside those of gdb and of the same program in one piece. */
@ChecklistRow(1)
class SplitVariablesIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2).followingAnyPath();

    /** The linker discards {@code unused} with its variable. */
    private static final String SOURCE = """
            static int file_static = 1;
            int global = 2;
            thread_local int tls_global = 3;
            static __thread int tls_static = 4;
            namespace ns { int in_namespace = 5; }
            struct C { static int member; };
            int C::member = 6;
            __attribute__((used)) static int counter() {
                static int calls;
                static __thread int per_thread;
                return ++calls + ++per_thread;
            }
            inline int shared() { static int in_inline = 8; return ++in_inline; }
            extern "C" int unused() { static int gone = 9; return ++gone; }
            int main() {
                return file_static++ + global++ + tls_global++ + tls_static++ + ns::in_namespace++ + C::member++
                        + counter() + shared();
            }
            """;

    @TempDir
    private Path folder;

    private Path program(String compiler, String... options) throws IOException {
        Path place = Files.createDirectory(folder.resolve("with" + options.length));
        Files.writeString(place.resolve("program.cpp"), SOURCE);
        RequiredTool tool = RequiredTool.require(compiler);
        List<Object> compile = new ArrayList<>(List.of((Object[]) options));
        compile.addAll(List.of("-ffunction-sections", "-fdata-sections", "-c", "program.cpp", "-o", "program.o"));
        tool.outputIn(place, compile.toArray());
        tool.outputIn(place, "program.o", "-Wl,--gc-sections", "-o", "program");
        return place.resolve("program");
    }

    private static List<Variable> variables(Path program) throws IOException, ExtractionException {
        return DebugInfo.read(program, OPTIONS, DebugInfo::extractAll).types().variables().stream()
                .filter(variable -> variable.unit().equals("program.cpp"))
                .toList();
    }

    private static List<String> places(List<Variable> variables) {
        return variables.stream()
                .map(variable -> variable.qualifiedName() + " of " + variable.function() + " at " + variable.address())
                .sorted()
                .toList();
    }

    private static Long address(List<Variable> variables, String name) {
        return variables.stream()
                .filter(variable -> variable.name().equals(name))
                .map(Variable::address)
                .reduce((first, second) -> {
                    throw new AssertionError("several variables are named " + name);
                })
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"g++, -gdwarf-4", "g++, -gdwarf-5", "clang++, -gdwarf-4", "clang++, -gdwarf-5"})
    void variablesOfSplitUnitsAreThoseOfOtherTools(String compiler, String dwarf)
            throws IOException, ExtractionException {
        Path split = program(compiler, dwarf, "-gsplit-dwarf");
        List<Variable> variables = variables(split);

        assertThat(places(variables)).hasSize(9).isEqualTo(places(variables(program(compiler, dwarf))));
        assertThat(variables).extracting(Variable::blockOffset).containsOnlyNulls();
        assertThat(new Gdb(split)
                        .numbers(List.of(
                                "&file_static",
                                "&global",
                                "&ns::in_namespace",
                                "&C::member",
                                "&'counter()::calls'",
                                "&'shared()::in_inline'")))
                .containsExactly(
                        address(variables, "file_static"),
                        address(variables, "global"),
                        address(variables, "in_namespace"),
                        address(variables, "member"),
                        address(variables, "calls"),
                        address(variables, "in_inline"));
    }
}
