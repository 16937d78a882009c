package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.corpus.Comparison;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.Gdb;
import dev.offsetd.extractor.testkit.LlvmDwarfdump;
import dev.offsetd.extractor.testkit.Pahole;
import dev.offsetd.extractor.testkit.Pahole.PaholeMember;
import dev.offsetd.extractor.testkit.RawDwarf;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real debug files of Debian's C library: every definition against what other people's tools read at the same DIE. */
class OtherToolsIntegrationTests {

    private static final int SHOWN = 5;

    private static Path libc(String architecture) throws IOException {
        return DebianPackages.largestDebugFile("libc6-dbg", architecture);
    }

    /** Fails with the first differences; all of both sides would be millions of lines. */
    private static void assertSame(Path file, RawDwarf theirs) throws IOException, ExtractionException {
        Comparison comparison = new Comparison(theirs.iterator());
        Answers.comparable(file).forEach(comparison::add);
        Comparison.Result result = comparison.finish();
        assertThat(result.definitions()).isGreaterThan(10_000);
        assertThat(result.differences().stream()
                        .limit(SHOWN)
                        .map(Object::toString)
                        .collect(Collectors.joining("\n")))
                .as("%d of %d definitions differ", result.differenceCount(), result.definitions())
                .isEmpty();
    }

    @Test
    void everyDefinitionOfTheCLibraryAgreesWithLlvmDwarfdump() throws IOException, ExtractionException {
        Path file = libc("amd64");
        assertSame(file, LlvmDwarfdump.read(file, ByteOrder.LITTLE_ENDIAN));
    }

    @ParameterizedTest
    @CsvSource({"amd64, LITTLE", "i386, LITTLE", "arm64, LITTLE", "s390x, BIG"})
    void everyDefinitionOfTheCLibraryAgreesWithReadelf(String architecture, String order)
            throws IOException, ExtractionException {
        Path file = libc(architecture);
        assertSame(
                file,
                Readelf.read(
                        file, Optional.empty(), order.equals("BIG") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN));
    }

    @Test
    void buildIdIsThatOfReadelf() throws IOException, ExtractionException {
        List<Path> files = new ArrayList<>(List.of(libc("amd64"), libc("s390x"), libc("i386")));
        Fixture.all().forEach(fixture -> files.add(fixture.debugFile()));
        for (Path file : files) {
            assertThat(DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts)
                            .buildId())
                    .hasToString(Readelf.buildId(file));
        }
    }

    @Test
    void pointersInUnnamedTypesOfOneLayoutHaveTheirOwnTargets(@TempDir Path folder)
            throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("pointers.c"), """
                struct x; struct y;
                struct a { union { struct x *pointer; long number; }; } first;
                struct b { union { struct y *pointer; long number; }; } second;
                """);
        Path object = folder.resolve("pointers.o");
        RequiredTool.require("gcc").output("-g", "-c", source, "-o", object);
        try (DebugInfo info = DebugInfo.open(object)) {
            for (String name : List.of("a", "b")) {
                String shown =
                        RequiredTool.require("gdb").output("-batch", "-nx", "-ex", "ptype struct " + name, object);
                Struct holder = info.struct(name).orElseThrow();
                AggregateShape union =
                        (AggregateShape) holder.shape().members().getFirst().type();
                assertThat(shown).contains(union.members().getFirst().type().spelling() + "pointer;");
            }
        }
    }

    @Test
    void pointersInTypesOfOneNameInTwoFunctionsHaveTheirOwnTargets(@TempDir Path folder)
            throws IOException, ExtractionException {
        Path source = Files.writeString(folder.resolve("local.c"), """
                struct x; struct y; struct z;
                static struct guard { struct z *pointer; } global;
                void *first(void) { static struct guard { struct x *pointer; } kept; return &kept; }
                void *second(void) { static struct guard { struct y *pointer; } kept; return &kept; }
                void *third(void) { return &global; }
                """);
        Path object = folder.resolve("local.o");
        RequiredTool.require("gcc").output("-g", "-c", source, "-o", object);
        List<Definition> guards = DebugInfo.read(object, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types()
                .definitionsNamed("guard")
                .stream()
                .filter(definition -> !definition.isDeclaration())
                .toList();
        assertThat(guards).hasSize(3);
        for (Definition guard : guards) {
            String variable = guard.function() == null ? "global" : guard.function() + "::kept";
            String shown = RequiredTool.require("gdb").output("-batch", "-nx", "-ex", "ptype " + variable, object);
            AggregateShape shape = (AggregateShape) guard.shape();
            assertThat(shown).contains(shape.members().getFirst().type().spelling() + "pointer;");
        }
    }

    @Test
    void threadsDoNotChangeTheCatalogueOfTheCLibrary() throws IOException, ExtractionException {
        Path file = libc("amd64");
        List<Definition> serial = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types()
                .definitions();
        for (int threads : new int[] {2, 3, 8}) {
            assertThat(DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, threads), DebugInfo::extractAll)
                            .types()
                            .definitions())
                    .as("%d threads", threads)
                    .isEqualTo(serial);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"malloc_state", "link_map", "pthread", "rtld_global", "_IO_FILE"})
    void wellKnownStructsAgreeWithPahole(String tag) throws IOException, ExtractionException {
        Path file = libc("amd64");
        AggregateShape shape = struct(file, tag);
        Pahole.Layout layout = Pahole.layout(file, tag);
        assertThat(shape.byteSize()).isEqualTo(layout.size());
        assertThat(shape.members().stream()
                        .map(member -> new PaholeMember(member.name(), bitOffset(member), sizeAsPaholeSaysIt(member))))
                .containsExactlyElementsOf(layout.members());
    }

    private static long sizeAsPaholeSaysIt(Member member) {
        return member.isBitField() ? member.storageBytes() : member.type().byteSize();
    }

    @ParameterizedTest
    @ValueSource(strings = {"malloc_state", "link_map", "pthread", "rtld_global", "_IO_FILE"})
    void wellKnownStructsAgreeWithGdb(String tag) throws IOException, ExtractionException {
        assertAgreesWithGdb(libc("amd64"), tag);
    }

    /** With names of types, which only a debugger puts together from a chain of DIEs as C does. */
    @ParameterizedTest
    @ValueSource(strings = {"nested", "arrays", "pointers", "uses_typedefs", "floats", "packed_struct", "flexible"})
    void compiledStructsAgreeWithGdb(String tag) throws IOException, ExtractionException {
        for (String fixture : List.of("gcc12-dwarf5-x86_64-el", "gcc12-dwarf4-x86_64-el", "clang14-dwarf4-x86_64-el")) {
            assertAgreesWithGdb(Fixture.named(fixture).debugFile(), tag);
        }
    }

    private static void assertAgreesWithGdb(Path file, String tag) throws IOException, ExtractionException {
        AggregateShape shape = struct(file, tag);
        List<Member> members = shape.members().stream()
                .filter(member -> member.name() != null && !member.isBitField())
                .toList();
        List<String> names =
                members.stream().map(member -> String.valueOf(member.name())).toList();
        Gdb gdb = new Gdb(file);
        String type = "struct " + tag;
        assertThat(gdb.sizes(List.of(type))).containsExactly(shape.byteSize());
        assertThat(gdb.offsets(type, names))
                .isEqualTo(members.stream().map(member -> bitOffset(member) / 8).toList());
        List<String> theirs = gdb.spellings(type, names);
        for (int i = 0; i < names.size(); i++) {
            // GDB has its own way to show a struct without a tag.
            if (!theirs.get(i).contains("{...}")) {
                assertThat(asGdbWords(members.get(i).type().spelling()))
                        .as("%s.%s", tag, names.get(i))
                        .isEqualTo(asGdbWords(theirs.get(i)));
            }
        }
    }

    /** We keep the producer's names of base types and its order of qualifiers; GDB has its own of both. */
    private static String asGdbWords(String spelling) {
        return TypeNames.normalize(spelling)
                .replaceAll("\\b(long long|long|short) unsigned int\\b", "unsigned $1")
                .replaceAll("\\b(long long|long|short) int\\b", "$1")
                .replace("volatile const", "const volatile");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bits", "packed_bits", "equal_in_both"})
    void bitFieldsAgreeWithPahole(String tag) throws IOException, ExtractionException {
        for (String fixture : List.of(
                "gcc12-dwarf5-x86_64-el",
                "gcc12-dwarf4-x86_64-el",
                "clang14-dwarf5-x86_64-el",
                "gcc12-dwarf3-i386-el")) {
            Path file = Fixture.named(fixture).debugFile();
            List<PaholeMember> theirs = Pahole.layout(file, tag).members().stream()
                    .filter(member -> member.name() != null)
                    .toList();
            assertThat(struct(file, tag).members().stream()
                            .filter(member -> member.name() != null)
                            .map(member ->
                                    new PaholeMember(member.name(), bitOffset(member), sizeAsPaholeSaysIt(member))))
                    .as(fixture)
                    .containsExactlyElementsOf(theirs);
        }
    }

    private static long bitOffset(Member member) {
        if (member.location() instanceof MemberLocation.Fixed fixed) {
            return fixed.bitOffset();
        }
        throw new AssertionError("computed: " + member);
    }

    /** The first struct of this tag that no function hides: what tools show when they are asked for the name. */
    private static AggregateShape struct(Path file, String tag) throws IOException, ExtractionException {
        return DebugInfo.read(
                        file,
                        new ReadOptions(Limits.DEFAULT, 2),
                        info -> info.extract(new RequestedNames(Set.of(tag), Set.of())))
                .types()
                .definitionsNamed(tag)
                .stream()
                .map(Definition::shape)
                .filter(AggregateShape.class::isInstance)
                .map(AggregateShape.class::cast)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no struct " + tag + " in " + file));
    }
}
