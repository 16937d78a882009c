package dev.offsetd.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.Variant;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rust's structs, tuples and enums, whose data depends on a discriminant (DWARF 5 §5.7.10). */
class RustTests {

    private static TypeCatalogue types;

    @BeforeAll
    static void extract() throws IOException, ExtractionException {
        Path file = Fixture.named("gcc12-dwarf5-x86_64-el")
                .folder()
                .resolveSibling("rustc-dwarf4-x86_64-el")
                .resolve("enums.o");
        types = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types();
    }

    @ParameterizedTest
    @CsvSource({
        "enums::Holder.maybe, 24, 16",
        "enums::Shape.Circle.__0, 8, 8",
        "enums::Shape.Rect.h, 4, 4",
        "enums::Shape.Rect.w, 8, 8",
        "enums::Signed.Below.__0, 2, 1",
        "enums::Signed.Big.__0, 8, 8",
        "enums::Holder.shape.Rect.h, 12, 4",
        "enums::Holder.result.Err.__0, 116, 4",
        "enums::Holder.maybe.Some.__0.Circle.__0, 32, 8",
        "enums::One.Only.__0, 0, 4",
        "enums::Tuple.__1, 0, 8",
        "enums::inner::Tuple.only, 0, 2"
    })
    void membersOfVariantsAreReachedByTheirNames(String path, long offset, long size) {
        ItemAnswer answer = ItemResolver.resolve(ItemParser.parse(path), types, null);
        assertThat(answer.outcome()).isInstanceOfSatisfying(ItemOutcome.PathFound.class, found -> {
            assertThat(found.placement().offset()).isEqualTo(offset);
            assertThat(found.placement().size()).isEqualTo(size);
        });
    }

    @Test
    void variantsSayForWhichDiscriminantsTheyAreThere() {
        assertThat(variantPart("Shape"))
                .extracting(Member::name, RustTests::discriminants)
                .containsExactly(
                        tuple(null, "-"), tuple("Circle", "[0..0]"), tuple("Rect", "[1..1]"), tuple("Unit", "[2..2]"));
        assertThat(variantPart("Shape").getFirst()).satisfies(discriminant -> {
            assertThat(discriminant.role()).isEqualTo(Member.Role.DISCRIMINANT);
            assertThat(discriminant.location()).isEqualTo(new MemberLocation.Fixed(0));
            assertThat(discriminant.type().byteSize()).isEqualTo(4);
        });
    }

    /** A value below 0 stands in one byte, one past 127 in two; eight bytes of ones are the highest value. */
    @Test
    void discriminantsHaveTheSignOfTheirType() {
        assertThat(variantPart("Signed").stream().map(RustTests::discriminants))
                .containsExactly("-", "[-3..-3]", "[-2..-2]", "[200..200]");
        assertThat(variantPart("Wide").stream().map(RustTests::discriminants))
                .containsExactlyInAnyOrder("-", "[-1..-1]", "[0..0]");
    }

    @Test
    void variantOfAllOtherValuesHasNoDiscriminant() {
        assertThat(variantPart("Niche").stream().map(member -> member.name() + discriminants(member)))
                .containsExactlyInAnyOrder("null-", "Present[]", "Absent[0..0]");
        assertThat(variantPart("One").stream().map(member -> member.name() + discriminants(member)))
                .containsExactly("Only[]");
    }

    @Test
    void enumWithoutDataIsAnEnumeration() {
        assertThat(definition("Small").shape()).isInstanceOfSatisfying(EnumShape.class, shape -> {
            assertThat(shape.signed()).isTrue();
            assertThat(shape.enumerators()).containsExactly(new Enumerator("A", -3), new Enumerator("B", 5));
        });
    }

    @Test
    void namesCarryTheirModules() {
        assertThat(types.definitionsNamed("Tuple"))
                .extracting(Definition::qualifiedName)
                .containsExactlyInAnyOrder("enums::Tuple", "enums::inner::Tuple");
        assertThat(types.definitionsNamed("Option<enums::Shape>"))
                .singleElement()
                .extracting(Definition::qualifiedName)
                .isEqualTo("core::option::Option<enums::Shape>");
    }

    @Test
    void storedCatalogueHasTheSameVariants() {
        StoredCatalogue reread = StoredCatalogue.of(CatalogueWriter.encode(types));
        assertThat(reread.definitionsNamed("Signed")).isEqualTo(types.definitionsNamed("Signed"));
    }

    private static Definition definition(String name) {
        return types.definitionsNamed(name).stream()
                .filter(definition -> definition.qualifiedName().equals("enums::" + name))
                .findAny()
                .orElseThrow();
    }

    private static List<Member> variantPart(String name) {
        AggregateShape shape = (AggregateShape) definition(name).shape();
        AggregateShape part = (AggregateShape) shape.members().getFirst().type();
        assertThat(part.isVariantPart()).isTrue();
        assertThat(part.byteSize()).isEqualTo(shape.byteSize());
        return part.members();
    }

    private static String discriminants(Member member) {
        Variant variant = member.variant();
        return variant == null
                ? "-"
                : variant.values().stream()
                        .map(range -> range.first() + ".." + range.last())
                        .toList()
                        .toString();
    }

    /** A library in C with a part in Rust, as libruby with YJIT. */
    @Test
    void mainLanguageIsThatOfTheTypesThatSomebodyHasWritten() throws Exception {
        Definition written = types.definitions().stream()
                .filter(one -> one.qualifiedName().equals("enums::Holder"))
                .findFirst()
                .orElseThrow();
        List<Definition> mixed = new ArrayList<>(List.of(written));
        Language c = new Language("C17", Language.Family.C);
        for (int i = 0; i < 10; i++) {
            mixed.add(named(written, "vec::Vec<part::T" + i + ">", written.language()));
            mixed.add(named(written, "(part::T" + i + ", u8)", written.language()));
            mixed.add(named(written, "RData" + i, c));
        }

        assertThat(StoredCatalogue.of(CatalogueWriter.encode(types)).mainLanguages())
                .containsExactly(Language.Family.RUST);
        assertThat(StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(mixed, List.of())))
                        .mainLanguages())
                .containsExactlyInAnyOrder(Language.Family.C, Language.Family.CPP);
    }

    private static Definition named(Definition like, String name, Language language) {
        return new Definition(
                like.kind(), name, name, null, like.unit(), language, like.section(), like.dieOffset(), like.shape());
    }
}
