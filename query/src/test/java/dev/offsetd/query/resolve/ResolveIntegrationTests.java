package dev.offsetd.query.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Gdb;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.resolve.OffsetAnswer.Resolved;
import dev.offsetd.query.resolve.OffsetAnswer.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes of real and of compiled variables, compared with where GDB says that the members lie. */
class ResolveIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);

    @TempDir
    Path folder;

    private static OffsetAnswer resolve(TypeIndex types, String expression) {
        return OffsetResolver.resolve(OffsetExpression.parse(expression), types, null);
    }

    private static List<ResolutionStep> leaves(ResolutionStep step) {
        List<ResolutionStep> leaves = new ArrayList<>();
        if (step.isLeaf()) {
            leaves.add(step);
        }
        step.contents().forEach(inner -> leaves.addAll(leaves(inner)));
        return leaves;
    }

    /** The debug file of the package that defines this variable. */
    private static Path fileWith(String packageName, String variable) throws IOException, ExtractionException {
        RequestedNames wanted = new RequestedNames(Set.of(), Set.of(), Set.of(variable));
        for (Path file : DebianPackages.debugFiles(packageName, "amd64")) {
            if (DebugInfo.read(file, OPTIONS, info -> info.extract(wanted)).types().variables().stream()
                    .anyMatch(found -> !found.declaration())) {
                return file;
            }
        }
        throw new AssertionError("no debug file of " + packageName + " defines " + variable);
    }

    @ParameterizedTest
    @CsvSource({
        "_rtld_global, struct rtld_global",
        "_rtld_global_ro, struct rtld_global_ro",
        "main_arena, struct malloc_state"
    })
    void everyByteOfAVariableIsWhereGdbSaysItIs(String variable, String type) throws IOException, ExtractionException {
        Path file = fileWith("libc6-dbg", variable);
        Gdb gdb = new Gdb(file);
        TypeIndex types = DebugInfo.read(
                        file, OPTIONS, info -> info.extract(new RequestedNames(Set.of(), Set.of(), Set.of(variable))))
                .types();
        long size = gdb.sizes(List.of(type)).getFirst();
        List<String> paths = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        List<Long> sizes = new ArrayList<>();
        int padding = 0;
        for (long at = 0; at < size; at++) {
            OffsetAnswer answer = resolve(types, variable + "+" + at);
            assertThat(answer.status()).as("%s+%d", variable, at).isEqualTo(Status.FOUND);
            for (ResolutionStep leaf : leaves(((Resolved) answer).root())) {
                assertThat(at).isBetween(leaf.offset(), leaf.offset() + leaf.size() - 1);
                if (leaf.kind() == ResolutionStep.Kind.PADDING) {
                    padding++;
                } else if (at == leaf.offset() && !leaf.hasBits()) {
                    paths.add(leaf.path().substring(variable.length() + 1));
                    offsets.add(leaf.offset());
                    sizes.add(leaf.size());
                }
            }
        }
        assertThat(paths).hasSizeGreaterThan(50).doesNotHaveDuplicates();
        assertThat(padding).isLessThan((int) size / 4);
        assertThat(gdb.offsets(type, paths)).isEqualTo(offsets);
        assertThat(gdb.sizes(paths.stream()
                        .map(path -> "((" + type + " *)0)->" + path)
                        .toList()))
                .isEqualTo(sizes);
        assertThat(resolve(types, variable + "+" + size).status()).isEqualTo(Status.PAST_END);
    }

    @ParameterizedTest
    @CsvSource({
        "gcc, -gdwarf-5",
        "gcc, -gdwarf-4",
        "gcc, -gdwarf-3",
        "gcc, -gdwarf-2",
        "clang, -gdwarf-5",
        "clang, -gdwarf-4"
    })
    void definitionBehindADeclarationIsFoundWhateverTheCompiler(String compiler, String version)
            throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("variables.c"), """
            struct pair { char tag; long value; };
            extern struct pair declared_first;
            extern struct pair open[];
            struct pair declared_first = {1, 2};
            struct pair open[3];
            static struct pair hidden;
            static __thread struct pair of_thread;
            long *f(int i) {
                static struct pair in_function;
                return i == 1 ? &in_function.value : i == 2 ? &hidden.value : &of_thread.value;
            }
            """);
        TypeIndex types = compiled(compiler, version, source);

        for (String name : List.of("declared_first", "hidden", "in_function", "of_thread")) {
            OffsetAnswer answer = resolve(types, name + "+9");
            assertThat(answer.status()).as(name).isEqualTo(Status.FOUND);
            assertThat(leaves(((Resolved) answer).root()))
                    .singleElement()
                    .satisfies(leaf -> assertThat(leaf.path()).isEqualTo(name + ".value"));
        }
        assertThat(leaves(((Resolved) resolve(types, "open+40")).root()))
                .singleElement()
                .satisfies(leaf -> assertThat(leaf.path()).isEqualTo("open[2].value"));
        assertThat(resolve(types, "open+48").status()).isEqualTo(Status.PAST_END);
    }

    @ParameterizedTest
    @CsvSource({"g++, -gdwarf-5", "g++, -gdwarf-4", "clang++, -gdwarf-5", "clang++, -gdwarf-4"})
    void staticMembersAndVariablesOfNamespacesAreFoundByEveryName(String compiler, String version)
            throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("variables.cc"), """
            namespace ns {
            struct pair { char tag; long value; };
            extern pair later;
            pair later = {1, 2};
            struct holder { static pair member; int other; };
            pair holder::member = {3, 4};
            }
            """);
        TypeIndex types = compiled(compiler, version, source);

        for (String name : List.of(
                "later", "ns::later", "::ns::later", "_ZN2ns5laterE", "ns::holder::member", "_ZN2ns6holder6memberE")) {
            OffsetAnswer answer = resolve(types, name + "+8");
            assertThat(answer.status()).as(name).isEqualTo(Status.FOUND);
            assertThat(leaves(((Resolved) answer).root()))
                    .extracting(ResolutionStep::name)
                    .containsExactly("value");
        }
        assertThat(resolve(types, "other::later+8").status()).isEqualTo(Status.NOT_FOUND);
    }

    private TypeIndex compiled(String compiler, String version, Path source) throws IOException, ExtractionException {
        Path library = folder.resolve("variables.so");
        RequiredTool.require(compiler)
                .output("-g", version, "-O0", "-fPIC", "-shared", "-nostdlib", source, "-o", library);
        return DebugInfo.read(library, OPTIONS, DebugInfo::extractAll).types();
    }

    @Test
    void addressesAreThoseOfTheSymbolTable() throws IOException, ExtractionException {
        Path source = Files.writeString(
                folder.resolve("addresses.c"),
                "extern long a; long a = 1; int b[4]; static int c = 3; int *f() { return &c; }");
        for (String compiler : List.of("gcc", "clang")) {
            Path library = folder.resolve(compiler + ".so");
            RequiredTool.require(compiler).output("-g", "-fPIC", "-shared", "-nostdlib", source, "-o", library);
            TypeIndex types =
                    DebugInfo.read(library, OPTIONS, DebugInfo::extractAll).types();
            String symbols = RequiredTool.require("readelf").output("-sW", library);
            for (String name : List.of("a", "b", "c")) {
                String line = symbols.lines()
                        .filter(text -> text.endsWith(" " + name))
                        .findFirst()
                        .orElseThrow();
                assertThat(types.variablesNamed(name).getFirst().address())
                        .as("%s by %s", name, compiler)
                        .isEqualTo(Long.parseLong(
                                List.of(line.strip().split("\\s+", -1)).get(1), 16));
            }
        }
    }
}
