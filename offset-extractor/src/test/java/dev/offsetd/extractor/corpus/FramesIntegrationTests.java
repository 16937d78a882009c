package dev.offsetd.extractor.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.GoCompiler;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions and lines beside other tools, of programs that compilers of this machine make. */
@ChecklistRow(1)
class FramesIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2).followingAnyPath();
    private static final int ADDRESSES = 1_000;

    private static final String CPP = """
            #include <algorithm>
            #include <string>
            #include <vector>
            namespace ns {
            struct Wheel {
                int v;
                static inline __attribute__((always_inline)) int half(int x) { return x / 2 + x % 3; }
                int twice(int x) { return half(x) * 2 + v; }
            };
            }
            template <class T> __attribute__((noinline)) T sum(std::vector<T> &v) {
                T s{};
                for (auto &x : v) s += ns::Wheel::half(x);
                std::sort(v.begin(), v.end(), [](T a, T b) { return a > b; });
                return s;
            }
            int main(int c, char **v) {
                std::vector<int> q(c, 3);
                ns::Wheel w{c};
                std::string s(v[0]);
                return sum(q) + w.twice(c) + (int) s.size();
            }
            """;

    private static final String C = """
            static inline __attribute__((always_inline)) int half(int x) { return x / 2 + x % 3; }
            __attribute__((noinline)) int twice(int x) { return half(x) * 2 + half(x + 1); }
            int thrice(int x) { return x > 3 ? twice(x) : half(x); }
            """;

    private static final String BLOCKS = """
            static inline __attribute__((always_inline)) int half(int x) { if (x > 7) return x / 2; return x % 3; }
            int twice(int x, int *p) { for (int i = 0; i < x; i++) if (p[i] > 3) p[i] += half(i); else p[i]--; return half(x) ? half(p[0]) : 1; }
            """;

    /** The macros as in the kernel: the symbols have sizes and no type, and labels inside have neither. */
    private static final String ASSEMBLY = """
            .macro SYM_CODE_START name
            .globl \\name
            .balign 16
            \\name:
            .endm
            .macro SYM_CODE_END name
            .type \\name STT_NOTYPE
            .size \\name, . - \\name
            .endm
            .text
            SYM_CODE_START entry_SYSCALL
                nop
                nop
            .globl entry_after_swap
            entry_after_swap:
                nop
                ret
            SYM_CODE_END entry_SYSCALL
            SYM_CODE_START ret_from_fork
                nop
                ret
            SYM_CODE_END ret_from_fork
            """;

    private static final String GO = """
            package main

            import (
            	"fmt"
            	"os"
            	"sort"
            	"strings"
            )

            type P struct{ a, b int }

            func (p P) sum() int { return half(p.a) + p.b }
            func half(x int) int { return x/2 + x%3 }
            func main() {
            	s := []P{{1, 2}, {3, len(os.Args)}}
            	sort.Slice(s, func(i, j int) bool { return s[i].sum() < s[j].sum() })
            	fmt.Println(s, strings.ToUpper(os.Args[0]))
            }
            """;

    @TempDir
    private Path folder;

    private static void requireSame(Path file) throws IOException, ExtractionException {
        FrameTable table = DebugInfo.read(file, OPTIONS, DebugInfo::allFrames);
        long[] addresses = FrameOpinion.addresses(file, ADDRESSES);
        FrameOpinion.Outcome outcome = FrameOpinion.compare(file, table, addresses);
        assertThat(outcome.result().differences()).as("%s", outcome.tallies()).isEmpty();
        assertThat(Arrays.stream(addresses).mapToObj(table::at))
                .as("inlined frames")
                .anyMatch(frames -> frames.size() > 1);
        requireFirstAnswersOf(table, file, addresses);
    }

    private static void requireFirstAnswersOf(FrameTable table, Path file, long[] addresses)
            throws IOException, ExtractionException {
        for (long address : Arrays.copyOf(addresses, 5)) {
            assertThat(DebugInfo.read(file, OPTIONS, info -> info.frames(address))
                            .at(address))
                    .isEqualTo(table.at(address));
        }
    }

    private Path compiled(String compiler, String source, String text, String... options) throws IOException {
        Files.writeString(folder.resolve(source), text);
        List<Object> all = new ArrayList<>(List.of((Object[]) options));
        all.addAll(List.of(source, "-o", "program"));
        RequiredTool.require(compiler).outputIn(folder, all.toArray());
        return folder.resolve("program");
    }

    @ParameterizedTest
    @CsvSource({
        "g++, -gdwarf-2",
        "g++, -gdwarf-2 -gstrict-dwarf -fno-reorder-blocks-and-partition",
        "g++, -gdwarf-3",
        "g++, -gdwarf-4",
        "g++, -gdwarf-5",
        "g++, -g -flto",
        "g++, -g -ffunction-sections -Wl;--gc-sections",
        "clang++, -gdwarf-4",
        "clang++, -gdwarf-5",
        "clang++, -gdwarf-4 -gdwarf64",
        "clang++, -gdwarf-5 -gdwarf64"
    })
    void framesOfAProgramAreThoseOfOtherTools(String compiler, String options) throws IOException, ExtractionException {
        List<String> all = new ArrayList<>(List.of("-O2"));
        all.addAll(List.of(options.replace(';', ',').split(" ")));
        requireSame(compiled(compiler, "program.cpp", CPP, all.toArray(String[]::new)));
    }

    @ParameterizedTest
    @CsvSource({"g++, -gdwarf-4", "g++, -gdwarf-5", "clang++, -gdwarf-5"})
    void framesOfSplitUnitsAreThoseOfOtherTools(String compiler, String dwarf) throws IOException, ExtractionException {
        Files.writeString(folder.resolve("program.cpp"), CPP);
        RequiredTool tool = RequiredTool.require(compiler);
        tool.outputIn(folder, "-O2", dwarf, "-gsplit-dwarf", "-c", "program.cpp", "-o", "program.o");
        tool.outputIn(folder, "program.o", "-o", "program");
        requireSame(folder.resolve("program"));
    }

    @ParameterizedTest
    @CsvSource({"gcc, -gdwarf-4", "gcc, -gdwarf-5", "clang, -gdwarf-5"})
    void linesOfASplitUnitThatIsMissingAreInFunctionsOfSymbols(String compiler, String dwarf)
            throws IOException, ExtractionException {
        Files.writeString(folder.resolve("program.c"), C);
        RequiredTool tool = RequiredTool.require(compiler);
        tool.outputIn(folder, "-O2", "-fPIC", dwarf, "-gsplit-dwarf", "-c", "program.c", "-o", "program.o");
        tool.outputIn(folder, "-shared", "-nostdlib", "program.o", "-o", "program");
        Path program = folder.resolve("program");
        FrameTable whole = DebugInfo.read(program, OPTIONS, DebugInfo::allFrames);
        Files.delete(folder.resolve("program.dwo"));
        FrameTable table = DebugInfo.read(program, OPTIONS.leavingOutMissingUnits(), DebugInfo::allFrames);
        for (long address : FrameOpinion.addresses(program, ADDRESSES / 5)) {
            List<Frame> expected = whole.at(address);
            assertThat(places(table.at(address)))
                    .isEqualTo(
                            expected.isEmpty()
                                    ? List.of()
                                    : List.of(place(
                                            expected.getLast().function(),
                                            expected.getFirst().file(),
                                            expected.getFirst().line())));
        }
    }

    @ParameterizedTest
    @CsvSource({"gcc, -gdwarf-4", "gcc, -gdwarf-5", "clang, -gdwarf-5 -fdebug-info-for-profiling"})
    void blocksOfALineHaveTheDiscriminatorsOfLlvmSymbolizer(String compiler, String options)
            throws IOException, ExtractionException {
        List<String> all = new ArrayList<>(List.of("-O1", "-shared", "-fPIC", "-nostdlib"));
        all.addAll(List.of(options.split(" ")));
        Path program = compiled(compiler, "program.c", BLOCKS, all.toArray(String[]::new));
        FrameTable table = DebugInfo.read(program, OPTIONS, DebugInfo::allFrames);
        List<String> addresses = new ArrayList<>();
        List<String> ours = new ArrayList<>();
        for (long address : FrameOpinion.addresses(program, ADDRESSES / 5)) {
            addresses.add("0x" + Long.toHexString(address));
            table.at(address)
                    .forEach(frame -> ours.add(frame.line() + ":" + frame.column() + " " + frame.discriminator()));
        }
        List<Object> asked = new ArrayList<>(List.of("--verbose", "--inlines", "--obj=" + program));
        asked.addAll(addresses);
        String theirs = RequiredTool.require("llvm-symbolizer").output(asked.toArray());
        assertThat(ours).isEqualTo(discriminators(theirs)).anyMatch(frame -> !frame.endsWith(" 0"));
    }

    /** Returns line, column and discriminator of each frame; the tool prints no discriminator that is 0. */
    private static List<String> discriminators(String verbose) {
        return Pattern.compile("  Line: (\\d+)\n  Column: (\\d+)(?:\n  Discriminator: (\\d+))?")
                .matcher(verbose)
                .results()
                .map(frame ->
                        frame.group(1) + ":" + frame.group(2) + " " + Objects.requireNonNullElse(frame.group(3), "0"))
                .toList();
    }

    @Test
    void assemblyWithoutTypesOfItsSymbolsIsInFunctions() throws IOException, ExtractionException {
        Path program = compiled("gcc", "entry.S", ASSEMBLY, "-g", "-shared", "-nostdlib");
        FrameTable table = DebugInfo.read(program, OPTIONS, DebugInfo::allFrames);
        long[] addresses = FrameOpinion.addresses(program, ADDRESSES / 5);
        FrameOpinion.Outcome outcome = FrameOpinion.compare(program, table, addresses);
        assertThat(outcome.result().differences()).as("%s", outcome.tallies()).isEmpty();
        assertThat(Arrays.stream(addresses).mapToObj(table::at).flatMap(List::stream))
                .extracting(Frame::function)
                .contains("entry_SYSCALL", "ret_from_fork");
    }

    @Test
    void framesOfARelocatableFileCountFromItsFirstCode() throws IOException, ExtractionException {
        requireSame(compiled("gcc", "program.c", C, "-O2", "-g", "-c"));
    }

    @Test
    void framesOfABigEndianLibraryAreThoseOfOtherTools() throws IOException, ExtractionException {
        requireSame(compiled("s390x-linux-gnu-gcc", "program.c", C, "-O2", "-g", "-shared", "-fPIC", "-nostdlib"));
    }

    @Test
    void framesWhoseNamesAreInASupplementaryFileAreTheSame() throws IOException, ExtractionException {
        Path program = compiled("g++", "program.cpp", CPP, "-O2", "-gdwarf-4");
        FrameTable before = DebugInfo.read(program, OPTIONS, DebugInfo::allFrames);
        Path second = Files.copy(program, folder.resolve("second"));
        RequiredTool.require("dwz").outputIn(folder, "-m", "common.dwz", program, second);
        FrameTable after = DebugInfo.read(
                program, OPTIONS.withSupplementaryFile(folder.resolve("common.dwz")), DebugInfo::allFrames);
        for (long address : FrameOpinion.addresses(program, ADDRESSES)) {
            assertThat(after.at(address)).isEqualTo(before.at(address));
        }
    }

    @Test
    void framesOfFortranAreThoseOfOtherTools() throws IOException, ExtractionException {
        Path program = compiled("gfortran", "program.f90", """
                module wheels
                contains
                  pure integer function half(x)
                    integer, intent(in) :: x
                    half = x / 2 + mod(x, 3)
                  end function
                  integer function twice(x)
                    integer, intent(in) :: x
                    twice = half(x) * 2 + half(x + 1)
                  end function
                end module
                program main
                  use wheels
                  print *, twice(command_argument_count())
                end program
                """, "-O2", "-g");
        requireSame(program);
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "pie"})
    void strippedGoProgramHasTheFramesOfItsDwarf(String buildMode) throws IOException, ExtractionException {
        requireFramesOfDwarf(GoCompiler.installed(), buildMode);
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "pie"})
    void strippedProgramOfGo115HasTheFramesOfItsDwarf(String buildMode) throws IOException, ExtractionException {
        requireFramesOfDwarf(GoCompiler.unpacked("bullseye", "1.15", folder.resolve("compiler")), buildMode);
    }

    /** The linker of Go 1.19 leaves the DWARF of C objects in spite of {@code -w}. */
    @Test
    void goProgramWhoseDwarfIsOfItsCObjectsHasFramesOfBoth() throws IOException, ExtractionException {
        Files.writeString(
                folder.resolve("main.go"),
                GO.replace("import (", """
                /*
                static int twice(int x) { return x * 2; }
                */
                import "C"
                import (
                """).replace("len(os.Args)}}", "int(C.twice(C.int(len(os.Args))))}}"));
        Files.writeString(folder.resolve("go.mod"), "module x\ngo 1.19\n");
        GoCompiler compiler = GoCompiler.installed();
        Path whole = Files.move(compiler.build(folder, "CGO_ENABLED=1"), folder.resolve("whole"));
        Path ofC = compiler.build(folder, "CGO_ENABLED=1", "-ldflags=-w");
        assertThat(RequiredTool.require("llvm-dwarfdump").output("--debug-info", ofC))
                .contains("(DW_LANG_C")
                .doesNotContain("DW_LANG_Go");
        requireFramesOfDwarf(whole, ofC);
    }

    private void requireFramesOfDwarf(GoCompiler compiler, String buildMode) throws IOException, ExtractionException {
        Files.writeString(folder.resolve("main.go"), GO);
        Files.writeString(folder.resolve("go.mod"), "module x\ngo 1.19\n");
        String environment = "CGO_ENABLED=0";
        String mode = "-buildmode=" + buildMode;
        Path whole = Files.move(compiler.build(folder, environment, mode), folder.resolve("whole"));
        requireFramesOfDwarf(whole, compiler.build(folder, environment, mode, "-ldflags=-s -w"));
    }

    /** @param other the same program without DWARF of Go */
    private static void requireFramesOfDwarf(Path whole, Path other) throws IOException, ExtractionException {
        FrameTable dwarf = DebugInfo.read(whole, OPTIONS, DebugInfo::allFrames);
        FrameTable table = DebugInfo.read(other, OPTIONS, DebugInfo::allFrames);
        assertThat(table.omissions()).isEmpty();
        int compared = 0;
        List<String> differences = new ArrayList<>();
        long[] addresses = FrameOpinion.addresses(whole, ADDRESSES);
        requireFirstAnswersOf(table, other, addresses);
        for (long address : addresses) {
            List<Frame> expected = dwarf.at(address);
            // Wrappers that the compiler generates have no lines in DWARF, or in Go 1.15 those of what they call.
            if (!expected.isEmpty()
                    && Stream.concat(expected.stream(), table.at(address).stream())
                            .noneMatch(frame -> String.valueOf(frame.file()).contains("<autogenerated>"))) {
                compared++;
                if (!places(expected).equals(places(table.at(address)))) {
                    differences.add(
                            Long.toHexString(address) + ": " + places(expected) + ", " + places(table.at(address)));
                }
            }
        }
        assertThat(compared).isGreaterThan(ADDRESSES / 2);
        assertThat(differences).as("of %d", compared).isEmpty();
    }

    private static List<String> places(List<Frame> frames) {
        return frames.stream()
                .map(frame -> place(frame.function(), frame.file(), frame.line()))
                .toList();
    }

    private static String place(@Nullable String function, @Nullable String file, int line) {
        return function + " " + file + ":" + line;
    }
}
