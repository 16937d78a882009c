package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Types are found by names that leave out what compilers add, in files and in stored catalogues. */
class PartialNamesIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 2);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"g++ -gdwarf-5", "g++ -gdwarf-4", "clang++ -gdwarf-5", "clang++ -gsimple-template-names"})
    void typesOfCppAreFound(String compiler) throws Exception {
        List<String> command = List.of(compiler.split(" "));
        Path library = folder.resolve("library.so");
        RequiredTool tool = RequiredTool.require(command.getFirst());
        String standalone = command.getFirst().equals("clang++") ? "-fstandalone-debug" : "-O0";
        tool.output(
                "-g", command.getLast(), standalone, "-shared", "-fPIC", resource("partial_names.cpp"), "-o", library);
        TypeIndex stored = stored(library);

        assertFound("a::Plain.x", "a::v1::Plain", library, stored);
        assertFound("::a::Plain.x", "a::v1::Plain", library, stored);
        assertFound("a::Held<a::Plain>.value.x", null, library, stored);
        assertFound("Held<Plain>.value.x", null, library, stored);
        assertFound("a::Held<int>::Inner.more", "a::v1::Held<int>::Inner", library, stored);
        assertFound("std::vector<int>._M_impl", "std::vector<int, std::allocator<int> >", library, stored);
        assertFound("Plain.x", "a::v1::Plain", library, stored);
        assertFound("vector<int>", "std::vector<int, std::allocator<int> >", library, stored);
        assertFound("std::basic_string<char>._M_string_length", null, library, stored);
        assertFound("std::vector<std::basic_string<char>>", null, library, stored);
        assertFound("std::map<std::basic_string<char>, std::vector<int>>", null, library, stored);
        assertFound("std::unordered_map<unsigned long, a::Plain>", null, library, stored);
        assertFound("std::unique_ptr<c::Other>", null, library, stored);
        // GCC 12 writes 4, clang 14 4UL.
        assertThat(answer("std::array<short, 4>._M_elems[2]", stored).status()).isEqualTo(ItemStatus.FOUND);
        assertThat(answer("std::array<short, 4ul>._M_elems[2]", stored).status())
                .isEqualTo(ItemStatus.FOUND);
        assertExact("c::Deep.z", library, stored);
        assertExact("std::tuple<int, short>", library, stored);

        for (String text : List.of(
                "std::tuple<int>",
                "std::vector<long>",
                "std::vector",
                "::Deep",
                "a::Deep",
                "b::Deep",
                "std::array<short, 5>")) {
            assertThat(answer(text, stored).status()).as(text).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
            assertThat(answer(text, wanted(text, library)).status()).as(text).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }
    }

    @Test
    void severalTypesThatANameMayStandForAreNamed() throws Exception {
        Path source = folder.resolve("several.cpp");
        Files.writeString(source, """
            template <class T> struct Box { T value; };
            namespace x { struct T { int a; }; }
            namespace y { struct T { int a; }; }
            Box<x::T> one;
            Box<y::T> two;
            """);
        Path library = folder.resolve("several.so");
        RequiredTool.require("g++").output("-g", "-shared", "-fPIC", source, "-o", library);

        ItemAnswer answer = answer("Box<T>", stored(library));

        assertThat(answer.outcome())
                .isEqualTo(new ItemOutcome.Missed(
                        ItemStatus.TYPE_NOT_FOUND,
                        "the build has 2 types that this name may refer to: \"Box<x::T>\", \"Box<y::T>\""));
        assertThat(answer("Box<T>", wanted("Box<T>", library)).outcome()).isEqualTo(answer.outcome());
        assertThat(answer("Box<x::T>", stored(library)).status()).isEqualTo(ItemStatus.FOUND);
    }

    @Test
    void typesOfRustAreFound() throws Exception {
        Path library = folder.resolve("library.so");
        RequiredTool.require("rustc").output("-g", "--crate-type=cdylib", "-o", library, resource("partial_names.rs"));
        TypeIndex stored = stored(library);

        assertFound("Vec<u8>.len", "alloc::vec::Vec<u8, alloc::alloc::Global>", library, stored);
        assertFound("vec::Vec<u8>.len", "alloc::vec::Vec<u8, alloc::alloc::Global>", library, stored);
        assertFound("Vec<String>.len", null, library, stored);
        assertFound("collections::hash::map::HashMap<String, Vec<u8>>", null, library, stored);
        assertFound("inner::Held.count", "partial_names::outer::inner::Held", library, stored);
        assertFound("outer::Generic<Held>.value", null, library, stored);
        assertThat(answer("Vec<u64>", stored).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
    }

    private static void assertExact(String text, Path file, TypeIndex stored) throws IOException, ExtractionException {
        for (ItemAnswer answer : List.of(answer(text, stored), answer(text, wanted(text, file)))) {
            assertThat(answer.status()).as(text).isEqualTo(ItemStatus.FOUND);
            assertThat(answer.wholeName()).as(text).isNull();
        }
    }

    private static void assertFound(String text, @Nullable String wholeName, Path file, TypeIndex stored)
            throws IOException, ExtractionException {
        for (ItemAnswer answer : List.of(answer(text, stored), answer(text, wanted(text, file)))) {
            assertThat(answer.status()).as("%s: %s", text, answer.outcome()).isEqualTo(ItemStatus.FOUND);
            assertThat(answer.wholeName()).as(text).isNotNull();
            if (wholeName != null) {
                assertThat(answer.wholeName()).isEqualTo(wholeName);
            }
        }
    }

    private static TypeIndex stored(Path file) throws IOException, ExtractionException {
        return StoredCatalogue.of(CatalogueWriter.encode(
                DebugInfo.read(file, OPTIONS, DebugInfo::extractAll).types()));
    }

    private static TypeIndex wanted(String text, Path file) throws IOException, ExtractionException {
        Item item = ItemParser.parse(text);
        return DebugInfo.read(
                        file,
                        OPTIONS,
                        info -> info.extract(new RequestedNames(
                                item.simpleTypeNames(), item.typeNames(), item.enumeratorNames(), Set.of())))
                .types();
    }

    private static ItemAnswer answer(String text, TypeIndex types) {
        return ItemResolver.resolve(ItemParser.parse(text), types, null);
    }

    private Path resource(String name) throws URISyntaxException {
        return Path.of(Objects.requireNonNull(getClass().getResource("/corpus/" + name))
                .toURI());
    }

    /** An interface of Go is a typedef in DWARF, a struct is a tag. */
    @Test
    void shortNameOfGoIsThatOfOnePackageWhateverTheKind() throws Exception {
        Definition struct = goType(TypeKind.STRUCT, "crypto/tls.Conn");
        TypeIndex one = StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(List.of(struct), List.of())));
        TypeIndex two = StoredCatalogue.of(CatalogueWriter.encode(
                new TypeCatalogue(List.of(struct, goType(TypeKind.TYPEDEF, "net.Conn")), List.of())));

        assertThat(answer("Conn", one).status()).isEqualTo(ItemStatus.FOUND);
        assertThat(answer("Conn", two).outcome())
                .isEqualTo(new ItemOutcome.Missed(
                        ItemStatus.TYPE_NOT_FOUND,
                        "the build has 2 types that this name may refer to: \"crypto/tls.Conn\", \"net.Conn\""));
    }

    private static Definition goType(TypeKind kind, String name) {
        AggregateShape shape = new AggregateShape(TypeKind.STRUCT, name, name, 8, 0, List.of());
        return new Definition(
                kind,
                name,
                name,
                null,
                "p.go",
                new Language("Go", Language.Family.GO),
                ".debug_info",
                1,
                kind == TypeKind.STRUCT ? shape : new AliasShape(AliasKind.TYPEDEF, Spelling.of(name), shape));
    }
}
