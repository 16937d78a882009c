package dev.offsetd.query.export;

import static dev.offsetd.extractor.testkit.Types.C;
import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.alias;
import static dev.offsetd.extractor.testkit.Types.bits;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.enumeration;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.struct;
import static dev.offsetd.extractor.testkit.Types.virtualBase;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolSection;
import dev.offsetd.extractor.symbols.SymbolSource;
import dev.offsetd.extractor.symbols.SymbolType;
import dev.offsetd.extractor.symbols.SymbolVisibility;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.query.export.Omissions.Omission;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** ISF of types that C compilers do not write. */
class IsfRendererTests {

    private static final Architecture AMD64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);

    private static JsonNode isf(Definition... definitions) {
        return isf(new TypeCatalogue(List.of(definitions), List.of()), List.of());
    }

    private static JsonNode isf(TypeCatalogue build, List<Symbol> symbols) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        isf(build, symbols, out);
        return JsonMapper.shared().readTree(out.toByteArray());
    }

    private static Omissions isf(TypeCatalogue build, List<Symbol> symbols, OutputStream out) {
        IsfRenderer renderer = new IsfRenderer(
                new IsfRenderer.ExportedBuild(null, AMD64, 1, null),
                StoredSymbols.of(SymbolTable.of(List.of(symbols), ValueRule.ADDRESS, null, List.of())));
        return renderer.render(ExportedTypes.whole(build, NameStyle.SPELLED), out);
    }

    @Test
    void omittedMembersWithoutANameAreTheSameInEveryFormat() throws IOException {
        TypeCatalogue build = new TypeCatalogue(
                List.of(
                        define(struct("base", 4, field("x", 0, INT))),
                        define(struct("s", 16, virtualBase(struct("base", 4, field("x", 0, INT)))))),
                List.of());
        Omission omitted = new Omission("struct s.struct base", OmissionReason.NO_OFFSET);

        assertThat(isf(build, List.of(), OutputStream.nullOutputStream()).listed())
                .containsExactly(omitted);
        assertThat(new BtfRenderer(AMD64, null)
                        .render(ExportedTypes.whole(build, NameStyle.SPELLED), OutputStream.nullOutputStream())
                        .listed())
                .containsExactly(omitted);
    }

    private static Definition in(String section) {
        Definition plain = define(struct("s", 4, field("x", 0, INT)));
        return new Definition(
                plain.kind(),
                plain.name(),
                plain.qualifiedName(),
                null,
                plain.unit(),
                plain.language(),
                section,
                0,
                plain.shape());
    }

    /** The schema knows no other source of types. */
    @Test
    void dwarfIsTheSourceOfTypesFromDwarfOnly() {
        assertThat(isf(in(".debug_info")).at("/metadata/linux/types").toString())
                .isEqualTo("[{\"kind\":\"dwarf\",\"name\":\"\"}]");
        assertThat(isf(in(".BTF")).at("/metadata/linux").toString())
                .isEqualTo("{\"symbols\":[{\"kind\":\"symtab\",\"name\":\"\"}],\"types\":[]}");
    }

    @Test
    void memberOfNoBitsHasNoBytes() {
        JsonNode nothing = isf(define(struct("outer", 4, field("x", 0, INT), bits("nothing", 32, 0, INT))))
                .at("/user_types/outer/fields/nothing");
        assertThat(nothing.path("offset").asInt()).isEqualTo(4);
        assertThat(nothing.path("type"))
                .isEqualTo(JsonMapper.shared()
                        .readTree("{\"kind\":\"array\",\"count\":0,\"subtype\":{\"kind\":\"base\",\"name\":\"int\"}}"));
    }

    @Test
    void unnamedEnumerationsWithAndWithoutAWideValueDiffer() {
        JsonNode isf = isf(
                define(struct("a", 16, field("x", 0, enumeration(null, 16, false, new Enumerator("E", 0))))),
                define(struct("b", 16, field("x", 0, enumeration(null, 16, false, Enumerator.tooWide("E"))))));

        assertThat(isf.at("/user_types/a/fields/x/type/name")).isNotEqualTo(isf.at("/user_types/b/fields/x/type/name"));
        assertThat(isf.path("enums").size()).isEqualTo(2);
    }

    /** The sizes of the file and of the export would not be related otherwise. */
    @Test
    void typedefsBeyondTheFirstOfAStructHaveItAsAField() {
        AggregateShape unnamed = struct(null, 4, field("x", 0, INT));
        AggregateShape named = struct("s", 4, field("y", 0, INT));
        JsonNode isf = isf(Stream.concat(
                        Stream.of(define(named)),
                        IntStream.range(0, 20)
                                .boxed()
                                .flatMap(i -> Stream.of(
                                        define(TypeKind.TYPEDEF, "u" + i, alias("u" + i, unnamed)),
                                        define(TypeKind.TYPEDEF, "n" + i, alias("n" + i, named)))))
                .toArray(Definition[]::new));

        assertThat(isf.at("/user_types/u15/fields/x/offset").isInt()).isTrue();
        JsonNode ofUnnamed = isf.at("/user_types/u16/fields/unnamed_field_0");
        assertThat(ofUnnamed.path("anonymous").asBoolean()).isTrue();
        String name = ofUnnamed.at("/type/name").asString();
        assertThat(isf.at("/user_types/" + name + "/fields/x/offset").isInt()).isTrue();
        assertThat(isf.at("/user_types/u16/size").asInt()).isEqualTo(4);
        assertThat(isf.at("/user_types/s/fields/y/offset").isInt()).isTrue();
        assertThat(isf.at("/user_types/n19/fields/unnamed_field_0/type").toString())
                .isEqualTo("{\"kind\":\"struct\",\"name\":\"s\"}");
    }

    private static Symbol symbol(String name) {
        return new Symbol(
                name,
                null,
                0x1000,
                0,
                SymbolType.OBJECT,
                SymbolBinding.LOCAL,
                SymbolVisibility.DEFAULT,
                new SymbolSection(SymbolSection.Kind.IN_SECTION, 1, ".data", 0x2000),
                List.of(new SymbolSource(SymbolSource.Table.SYMTAB, false)));
    }

    private static Variable variable(String name, TypeShape type) {
        return new Variable(name, name, null, null, "a.c", C, false, 0x1000L, null, type);
    }

    /** Variables without bytes, as the keys of locks in a kernel that does not check locks, share an address. */
    @Test
    void symbolsOfManyVariablesAtOneAddressHaveTheirTypes() {
        AggregateShape key = struct("key", 0);
        Stream<Variable> keys = IntStream.range(0, 100).mapToObj(_ -> variable("key", key));
        Stream<Variable> others = IntStream.range(0, 100).mapToObj(i -> variable("v" + i, INT));
        TypeCatalogue build = new TypeCatalogue(
                List.of(define(key)), Stream.concat(keys, others).toList());
        JsonNode isf = isf(build, List.of(symbol("key.100"), symbol("v0"), symbol("v3.part"), symbol("v99")));

        assertThat(isf.at("/symbols/key.100/type/name").asString()).isEqualTo("key");
        assertThat(isf.at("/symbols/v0/type/name").asString()).isEqualTo("int");
        assertThat(isf.at("/symbols/v3.part/type/name").asString()).isEqualTo("int");
        assertThat(isf.at("/symbols/v99/type/name").asString()).isEqualTo("int");
    }
}
