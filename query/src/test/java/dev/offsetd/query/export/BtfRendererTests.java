package dev.offsetd.query.export;

import static dev.offsetd.extractor.testkit.Types.CPP;
import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.alias;
import static dev.offsetd.extractor.testkit.Types.array;
import static dev.offsetd.extractor.testkit.Types.base;
import static dev.offsetd.extractor.testkit.Types.bits;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.pointer;
import static dev.offsetd.extractor.testkit.Types.struct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.export.Omissions.Omission;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** BTF that is read again has the layouts that it was made of. */
class BtfRendererTests {

    private static final Architecture AMD64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);

    static Stream<Path> files() {
        Path folder = Fixture.named("gcc12-dwarf5-x86_64-el").folder();
        return Stream.concat(
                Fixture.all().map(Fixture::debugFile),
                Stream.of(
                                "gcc12-dwarf5-cxx-x86_64-el/cxx.debug",
                                "rustc-dwarf4-x86_64-el/enums.o",
                                "go119-dwarf4-x86_64-el/types.debug",
                                "pahole-btf-x86_64-el/layout.debug",
                                "gcc12-dwarf5-relocatable/s390x.o")
                        .map(folder::resolveSibling));
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyLayoutIsReadAgain(Path file) throws IOException, ExtractionException {
        ExtractionReport report = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll);
        Architecture architecture = report.elf().architecture();
        TypeCatalogue read = ExportedLayouts.read(ExportedLayouts.btf(report), architecture);
        assertThat(ExportedLayouts.of(read))
                .isNotEmpty()
                .isEqualTo(ExportedLayouts.of(ExportedTypes.whole(report.types(), NameStyle.SPELLED)));
    }

    @ParameterizedTest
    @MethodSource("files")
    void storedCatalogueGivesTheSameBytes(Path file) throws IOException, ExtractionException {
        ExtractionReport report = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll);
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(report.types()));
        assertThat(ExportedLayouts.btf(
                        ExportedTypes.whole(stored, NameStyle.SPELLED),
                        report.elf().architecture()))
                .isEqualTo(ExportedLayouts.btf(report));
    }

    private static final AggregateShape INNER = struct("inner", 8, field("a", 0, INT), field("b", 4, INT));
    private static final AggregateShape OTHER_INNER = struct("inner", 4, field("c", 0, INT));

    private static TypeCatalogue catalogue(Definition... definitions) {
        List<Definition> placed = new ArrayList<>();
        for (int i = 0; i < definitions.length; i++) {
            Definition each = definitions[i];
            placed.add(new Definition(
                    each.kind(),
                    each.name(),
                    each.qualifiedName(),
                    each.function(),
                    each.unit(),
                    each.language(),
                    each.section(),
                    i,
                    each.shape()));
        }
        return new TypeCatalogue(placed, List.of());
    }

    private static TypeCatalogue exported(ExportedTypes types) throws IOException, ExtractionException {
        return ExportedLayouts.read(ExportedLayouts.btf(types, AMD64), AMD64);
    }

    private static ExportedTypes of(String items, TypeCatalogue build) {
        return ExportedTypes.of(ItemParser.parseList(List.of(items)), build, NameStyle.SPELLED);
    }

    @Test
    void exportOfItemsHasWhatTheyHoldByValueAndDeclaresTheRest() throws IOException, ExtractionException {
        AggregateShape outer = struct(
                "outer",
                32,
                field("inner", 0, array(alias("inner_t", INNER), 2)),
                field("next", 16, pointer("struct outer *", "struct outer")),
                field("far", 24, pointer("struct far *", "struct far")));
        TypeCatalogue build = catalogue(
                define(outer),
                define(INNER),
                define(alias("inner_t", INNER)),
                define(struct("far", 4, field("x", 0, INT))));
        TypeCatalogue read = exported(of("outer.next", build));
        assertThat(read.definitions())
                .filteredOn(definition -> definition.kind() != TypeKind.BASE)
                .extracting(Definition::name)
                .containsExactlyInAnyOrder("outer", "inner_t", "inner", "far");
        assertThat(read.definitionsNamed("far")).allMatch(Definition::isDeclaration);
    }

    @Test
    void ofTwoLayoutsOfANameNeitherIsExportedAndTheHeldOneHasNoName() throws IOException, ExtractionException {
        TypeCatalogue build =
                catalogue(define(INNER), define(OTHER_INNER), define(struct("outer", 8, field("x", 0, INNER))));
        ExportedTypes types = ExportedTypes.whole(build, NameStyle.SPELLED);
        assertThat(types.omissions().listed()).containsExactly(new Omission("struct inner", OmissionReason.AMBIGUOUS));
        TypeCatalogue read = exported(types);
        assertThat(read.definitionsNamed("inner")).isEmpty();
        AggregateShape outer =
                (AggregateShape) read.definitionsNamed("outer").getFirst().shape();
        assertThat(outer.members().getFirst().type()).isInstanceOfSatisfying(AggregateShape.class, held -> {
            assertThat(held.name()).isNull();
            assertThat(held.members()).hasSize(2);
        });
    }

    @Test
    void ofTwoLayoutsOfANameThatOfCIsExported() throws IOException, ExtractionException {
        Definition rust = new Definition(
                TypeKind.STRUCT,
                "inner",
                "inner",
                null,
                "lib.rs",
                dev.offsetd.extractor.testkit.Types.RUST,
                ".debug_info",
                1,
                OTHER_INNER);
        ExportedTypes types = ExportedTypes.whole(catalogue(rust, define(INNER)), NameStyle.SPELLED);
        assertThat(types.omissions().count()).isZero();
        assertThat(exported(types).definitionsNamed("inner").getFirst().shape().byteSize())
                .isEqualTo(8);
    }

    @Test
    void baseClassesAreUnnamedMembersAndNamesBecomeIdentifiers() throws IOException, ExtractionException {
        AggregateShape parent =
                new AggregateShape(TypeKind.STRUCT, "Base<int, 2>", "ns::Base<int, 2>", 4, 0, INNER.members());
        AggregateShape child = new AggregateShape(
                TypeKind.CLASS, "Child", "ns::Child", 16, 0, List.of(base(0, parent), field("own", 8, LONG)));
        TypeCatalogue build = catalogue(
                new Definition(TypeKind.STRUCT, "Base<int, 2>", "ns::Base<int, 2>", null, "a.cc", CPP, "", 1, parent),
                new Definition(TypeKind.CLASS, "Child", "ns::Child", null, "a.cc", CPP, "", 2, child));
        TypeCatalogue read = exported(ExportedTypes.whole(build, NameStyle.C));
        AggregateShape shape =
                (AggregateShape) read.definitionsNamed("ns__Child").getFirst().shape();
        assertThat(shape.members().getFirst().isUnnamedAggregate()).isTrue();
        assertThat(read.definitionsNamed("ns__Base_int_2_")).hasSize(1);
    }

    private static AggregateShape holder(String name, String target) {
        AggregateShape unnamed = new AggregateShape(
                TypeKind.STRUCT, null, "struct {...}", 8, 0, List.of(field("p", 0, pointer(target + " *", target))));
        return struct(name, 8, field("u", 0, unnamed));
    }

    @Test
    void unnamedStructsOfOneLayoutPointToTheirOwnTargets() throws IOException, ExtractionException {
        TypeCatalogue build = catalogue(define(holder("one", "struct x")), define(holder("two", "struct y")));
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(build));
        for (TypeIndex index : List.of(build, stored)) {
            TypeCatalogue read = exported(ExportedTypes.whole(index, NameStyle.SPELLED));
            for (List<String> each : List.of(List.of("one", "struct x *"), List.of("two", "struct y *"))) {
                AggregateShape outer = (AggregateShape)
                        read.definitionsNamed(each.getFirst()).getFirst().shape();
                AggregateShape held =
                        (AggregateShape) outer.members().getFirst().type();
                assertThat(held.members().getFirst().type().spelling()).isEqualTo(each.getLast());
            }
        }
    }

    @Test
    void memberOfNoBitsHasNoBytes() throws IOException, ExtractionException {
        Member nothing = bits("nothing", 32, 0, INT);
        TypeCatalogue build = catalogue(define(struct("outer", 4, field("x", 0, INT), nothing)));
        AggregateShape read = (AggregateShape) exported(ExportedTypes.whole(build, NameStyle.SPELLED))
                .definitionsNamed("outer")
                .getFirst()
                .shape();
        assertThat(read.members().getLast()).satisfies(member -> {
            assertThat(member.location()).isEqualTo(new MemberLocation.Fixed(32));
            assertThat(member.isBitField()).isFalse();
            assertThat(member.type()).isInstanceOf(ArrayShape.class);
        });
    }

    @Test
    void baseComesFirstAndKeepsItsNames() throws IOException, ExtractionException {
        ExportedTypes kernel = ExportedTypes.whole(catalogue(define(OTHER_INNER)), NameStyle.SPELLED);
        ExportedTypes program = ExportedTypes.whole(
                catalogue(define(INNER), define(struct("outer", 8, field("x", 0, INNER)))), NameStyle.SPELLED);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Omissions omissions = new BtfRenderer(AMD64, kernel).render(program, out);
        assertThat(omissions.listed()).containsExactly(new Omission("struct inner", OmissionReason.IN_BASE));
        TypeCatalogue read = ExportedLayouts.read(out.toByteArray(), AMD64);
        assertThat(read.definitionsNamed("inner"))
                .singleElement()
                .extracting(definition -> definition.shape().byteSize())
                .isEqualTo(4L);
        TypeShape outer = read.definitionsNamed("outer").getFirst().shape();
        assertThat(((AggregateShape) outer).members().getFirst().type().byteSize())
                .isEqualTo(8);
    }
}
