package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.Answers;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.ExpectedDefinition;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.store.BlobReader;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Output of several compilers in every DWARF version, encoding and compression, compared with what other tools read.
 */
class CompiledFixturesTests {

    private static final ReadOptions SERIAL = new ReadOptions(Limits.DEFAULT, 1);
    private static final ReadOptions PARALLEL = new ReadOptions(Limits.DEFAULT, 4);

    static Stream<Fixture> fixtures() {
        return Fixture.all();
    }

    private static TypeCatalogue catalogue(Fixture fixture) throws IOException, ExtractionException {
        return DebugInfo.read(fixture.debugFile(), SERIAL, DebugInfo::extractAll)
                .types();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void everyDefinitionAgreesWithOtherTools(Fixture fixture) throws IOException, ExtractionException {
        assertThat(Answers.comparable(fixture.debugFile())).containsExactlyElementsOf(fixture.expected());
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void headersSayWhatTheFileIsFor(Fixture fixture) throws IOException, ExtractionException {
        ElfFacts facts = DebugInfo.read(fixture.debugFile(), SERIAL, DebugInfo::facts);
        assertThat(facts.architecture())
                .isEqualTo(new Architecture(fixture.machine(), fixture.bits(), fixture.order()));
        assertThat(facts.elfType()).isEqualTo(3);
        assertThat(facts.hasDwarf()).isTrue();
        assertThat(facts.buildId()).satisfies(id -> assertThat(id.toBytes()).hasSize(20));
    }

    /** Equal definitions of both units are merged, different ones are not. Tags may be local to a function. */
    @ParameterizedTest
    @MethodSource("fixtures")
    void catalogueMergesEqualDefinitionsOnly(Fixture fixture) throws IOException, ExtractionException {
        TypeCatalogue catalogue = catalogue(fixture);
        assertThat(named(catalogue, "equal_in_both")).hasSize(1);
        assertThat(named(catalogue, "differing"))
                .extracting(definition -> definition.shape().byteSize())
                .containsExactlyInAnyOrder(8L, fixture.bits() == 64 ? 24L : 12L);
        assertThat(named(catalogue, "point"))
                .extracting(Definition::function)
                .containsExactlyInAnyOrder(null, "local_to_function");
        assertThat(named(catalogue, "local_in_block"))
                .singleElement()
                .extracting(Definition::function)
                .isEqualTo("local_to_function");
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void oneNameCanBeTagAndTypedef(Fixture fixture) throws IOException, ExtractionException {
        assertThat(named(catalogue(fixture), "same_name"))
                .extracting(Definition::kind)
                .containsExactlyInAnyOrder(TypeKind.STRUCT, TypeKind.TYPEDEF);
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void typedefChainEndsAtItsBaseType(Fixture fixture) throws IOException, ExtractionException {
        TypeCatalogue catalogue = catalogue(fixture);
        for (String name : List.of("VALUE", "ID", "const_id", "chained_id")) {
            Definition definition = named(catalogue, name).getFirst();
            assertThat(definition.kind()).isEqualTo(TypeKind.TYPEDEF);
            BaseShape base = (BaseShape) definition.shape().peeled();
            // gcc and clang spell this type differently.
            assertThat(base.spelling()).isIn("long unsigned int", "unsigned long");
            assertThat(base.encoding()).isEqualTo(BaseShape.Encoding.UNSIGNED);
            assertThat(base.byteSize()).isEqualTo(fixture.bits() / 8);
        }
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void typedefNamesItsUnnamedStruct(Fixture fixture) throws IOException, ExtractionException {
        Definition definition = named(catalogue(fixture), "unnamed_by_typedef").getFirst();
        assertThat(definition.kind()).isEqualTo(TypeKind.TYPEDEF);
        AggregateShape shape = (AggregateShape) definition.shape().peeled();
        assertThat(shape.name()).isNull();
        assertThat(shape.members()).extracting(Member::name).containsExactly("id", "other", "last");
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void declaredNameIsThereAsADeclaration(Fixture fixture) throws IOException, ExtractionException {
        assertThat(named(catalogue(fixture), "declared_only")).isNotEmpty().allMatch(Definition::isDeclaration);
        assertThat(named(catalogue(fixture), "defined_elsewhere")).anyMatch(definition -> !definition.isDeclaration());
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void enumerationsKnowTheirSign(Fixture fixture) throws IOException, ExtractionException {
        TypeCatalogue catalogue = catalogue(fixture);
        assertThat(((EnumShape) named(catalogue, "negative").getFirst().shape()).signed())
                .isTrue();
        assertThat(((EnumShape) named(catalogue, "wide").getFirst().shape()).signed())
                .isFalse();
    }

    /** Clang omits an unnamed enumeration that no variable uses as its type. */
    @ParameterizedTest
    @MethodSource("fixtures")
    void enumeratorsOfUnnamedEnumerationsAreFound(Fixture fixture) throws IOException, ExtractionException {
        List<TypeIndex.EnumeratorDefinition> found = catalogue(fixture).enumeratorsNamed("UNNAMED_ENUMERATOR");
        if (fixture.toString().startsWith("clang")) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).singleElement().satisfies(definition -> {
                assertThat(definition.enumerator()).isEqualTo(new Enumerator("UNNAMED_ENUMERATOR", 42));
                assertThat(definition.enumeration().name()).isEmpty();
            });
        }
    }

    /** Spaces beside punctuation vary between producers and are ignored. */
    @ParameterizedTest
    @MethodSource("fixtures")
    void typesAreSpelledAsInC(Fixture fixture) throws IOException, ExtractionException {
        Map<String, String> expected = new TreeMap<>();
        expected.put("anything", "void *");
        expected.put("text", "const char *");
        expected.put("fixed", "char *const");
        expected.put("next", "struct pointers *");
        expected.put("opaque", "struct nowhere *");
        expected.put("compare", "int (*)(const void *, const void *)");
        expected.put("typed_compare", "compare_fn");
        expected.put("call", "callback *");
        expected.put("handlers", "void (*[3])(int)");
        expected.put("rows", "int (*)[4]");
        expected.put("both", "const volatile int");
        expected.put("counter", "_Atomic int");
        expected.put("shared", "struct point *_Atomic");
        expected.put("alone", "char *restrict");
        expected.put("frozen", "const struct point");
        expected.put("strings", "const char *const *const *");
        if (isBefore(fixture, 5)) {
            // DW_TAG_atomic_type is new in DWARF 5, DW_TAG_restrict_type in DWARF 3.
            expected.put("counter", "int");
            expected.put("shared", "struct point *");
        }
        if (isBefore(fixture, 3)) {
            expected.put("alone", "char *");
        }
        expected.replaceAll((member, spelling) -> TypeNames.normalize(spelling));
        assertThat(spellings(fixture, "pointers")).isEqualTo(expected);
    }

    private static boolean isBefore(Fixture fixture, int version) {
        return fixture.toString().contains("-dwarf")
                && Integer.parseInt(fixture.toString().replaceAll(".*-dwarf(\\d).*", "$1")) < version;
    }

    private static Map<String, String> spellings(Fixture fixture, String struct)
            throws IOException, ExtractionException {
        AggregateShape shape =
                (AggregateShape) named(catalogue(fixture), struct).getFirst().shape();
        return shape.members().stream()
                .collect(Collectors.toMap(
                        member -> String.valueOf(member.name()),
                        member -> normalized(member.type().spelling()),
                        (first, second) -> first,
                        TreeMap::new));
    }

    /** Normalizes a spelling, because DWARF leaves the order of {@code const} and {@code volatile} to the producer. */
    private static String normalized(String spelling) {
        return TypeNames.normalize(spelling).replace("volatile const", "const volatile");
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void pointersNameWhatTheyPointTo(Fixture fixture) throws IOException, ExtractionException {
        AggregateShape shape = (AggregateShape)
                named(catalogue(fixture), "pointers").getFirst().shape();
        Map<String, String> pointees = shape.members().stream()
                .filter(member -> member.type().peeled() instanceof PointerShape)
                .collect(Collectors.toMap(
                        member -> String.valueOf(member.name()),
                        member -> String.valueOf(((PointerShape) member.type().peeled()).pointee()),
                        (first, second) -> first,
                        TreeMap::new));
        assertThat(pointees)
                .containsEntry("anything", "null")
                .containsEntry("text", "char")
                .containsEntry("next", "struct pointers")
                .containsEntry("opaque", "struct nowhere")
                .containsEntry("call", "callback");
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void pointersHaveTheStructureOfWhatTheyPointTo(Fixture fixture) throws IOException, ExtractionException {
        AggregateShape shape = (AggregateShape)
                named(catalogue(fixture), "pointers").getFirst().shape();
        Map<String, String> structures = shape.members().stream()
                .collect(Collectors.toMap(
                        member -> String.valueOf(member.name()),
                        member -> structure(member.type()),
                        (first, second) -> first,
                        TreeMap::new));
        assertThat(structures)
                .containsEntry("anything", "POINTER to void")
                .containsEntry("text", "POINTER to CONST char")
                .containsEntry("next", "POINTER to named struct pointers")
                .containsEntry("opaque", "POINTER to named struct nowhere")
                .containsEntry("call", "POINTER to named callback")
                .containsEntry("compare", "POINTER to (POINTER to CONST void, POINTER to CONST void) -> int")
                .containsEntry("rows", "POINTER to [4] int")
                .containsEntry("strings", "POINTER to CONST POINTER to CONST POINTER to CONST char");
    }

    private static String structure(TypeShape shape) {
        return switch (shape) {
            case PointerShape pointer -> pointer.kind() + " to " + structure(pointer.target());
            case AliasShape alias -> alias.kind() + " " + structure(alias.target());
            case ArrayShape array -> array.counts() + " " + structure(array.element());
            case FunctionShape function ->
                function.parameters().stream()
                                .map(CompiledFixturesTests::structure)
                                .collect(Collectors.joining(", ", "(", ")"))
                        + " -> " + structure(function.result());
            case NamedShape named -> "named " + named.spelling();
            default -> shape.spelling();
        };
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void threadsDoNotChangeAByte(Fixture fixture) throws IOException, ExtractionException {
        ExtractionReport parallel = DebugInfo.read(fixture.debugFile(), PARALLEL, DebugInfo::extractAll);
        ExtractionReport serial = DebugInfo.read(fixture.debugFile(), SERIAL, DebugInfo::extractAll);
        assertThat(CatalogueWriter.encode(parallel.types())).isEqualTo(CatalogueWriter.encode(serial.types()));
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void storedCatalogueAnswersAsTheOneInMemory(Fixture fixture) throws IOException, ExtractionException {
        TypeCatalogue inMemory = catalogue(fixture);
        byte[] blob = CatalogueWriter.encode(inMemory);
        BlobReader reader =
                (offset, length) -> Arrays.copyOfRange(blob, Math.toIntExact(offset), Math.toIntExact(offset + length));
        StoredCatalogue stored = new StoredCatalogue(reader);
        for (Definition definition : inMemory.definitions()) {
            if (definition.name().isEmpty()) {
                EnumShape enumeration = (EnumShape) definition.shape();
                String enumerator = enumeration.enumerators().getFirst().name();
                assertThat(stored.enumeratorsNamed(enumerator)).isEqualTo(inMemory.enumeratorsNamed(enumerator));
            } else {
                assertThat(stored.definitionsNamed(definition.name()))
                        .isEqualTo(inMemory.definitionsNamed(definition.name()));
            }
        }
        assertThat(stored.definitionsNamed("no_such_type")).isEmpty();
        assertThat(stored.enumeratorsNamed("no_such_enumerator")).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("fixtures")
    void extractingAFewNamesAnswersThemAsTheWholeCatalogueDoes(Fixture fixture)
            throws IOException, ExtractionException {
        Set<String> types = Set.of("nested", "bits", "VALUE", "point", "differing", "declared_only", "no_such_type");
        TypeCatalogue few = DebugInfo.read(
                        fixture.debugFile(),
                        SERIAL,
                        info -> info.extract(new RequestedNames(types, Set.of("GREEN", "UNNAMED_ENUMERATOR"))))
                .types();
        TypeCatalogue whole = catalogue(fixture);
        for (String type : types) {
            // The reader searches function scopes only if no other scope has the name.
            assertThat(few.definitionsNamed(type))
                    .isEqualTo(whole.definitionsNamed(type).stream()
                            .filter(definition -> definition.function() == null)
                            .toList());
        }
        TypeCatalogue local = DebugInfo.read(
                        fixture.debugFile(),
                        SERIAL,
                        info -> info.extract(new RequestedNames(Set.of("local_in_block"), Set.of())))
                .types();
        assertThat(local.definitions())
                .isEqualTo(whole.definitionsNamed("local_in_block"))
                .isNotEmpty();
        assertThat(few.enumeratorsNamed("GREEN"))
                .isEqualTo(whole.enumeratorsNamed("GREEN"))
                .isNotEmpty();
        assertThat(few.enumeratorsNamed("UNNAMED_ENUMERATOR")).isEqualTo(whole.enumeratorsNamed("UNNAMED_ENUMERATOR"));
    }

    @Test
    void alignmentIsThereWhereTheProducerSaysIt() throws IOException, ExtractionException {
        AggregateShape shape =
                (AggregateShape) named(catalogue(Fixture.named("gcc12-dwarf5-x86_64-el")), "aligned_struct")
                        .getFirst()
                        .shape();
        assertThat(shape.alignment()).isEqualTo(64);
    }

    @Test
    void compressedFilesAnswerAsThePlainOne() throws IOException, ExtractionException {
        List<ExpectedDefinition> plain =
                Answers.comparable(Fixture.named("gcc12-dwarf5-x86_64-el").debugFile());
        for (String compressed : List.of("gcc12-dwarf5-zlib-el", "gcc12-dwarf5-zstd-el")) {
            assertThat(Answers.comparable(Fixture.named(compressed).debugFile()))
                    .isEqualTo(plain);
        }
    }

    private static List<Definition> named(TypeCatalogue catalogue, String name) {
        return catalogue.definitionsNamed(name);
    }
}
