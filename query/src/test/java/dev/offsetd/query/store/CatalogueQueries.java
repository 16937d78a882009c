package dev.offsetd.query.store;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.layout.Variant;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.DiffText;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.answer.LayoutText;
import dev.offsetd.query.answer.ResolutionText;
import dev.offsetd.query.answer.ResolutionWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.export.BtfRenderer;
import dev.offsetd.query.export.ExportLimitException;
import dev.offsetd.query.export.ExportRenderer;
import dev.offsetd.query.export.ExportedTypes;
import dev.offsetd.query.export.IsfRenderer;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinnedTypes;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.OffsetResolver;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A small catalogue with every kind of shape, and every kind of query on a catalogue. */
final class CatalogueQueries {

    private static final Language C = new Language("C11", Language.Family.C);
    private static final Language RUST = new Language("Rust", Language.Family.RUST);
    private static final JsonFactory JSON = new JsonFactory();

    /** Maximum number of names taken from the catalogue under test. */
    private static final int MAX_NAMES = 8;

    /** Items that are found in the sound catalogue. */
    static final List<String> ITEMS = List.of(
            "struct point",
            "point.x",
            "point.inner.low",
            "point.grid[1][2]",
            "union either",
            "class derived",
            "derived.x",
            "option",
            "enum colour",
            "enumerator RED",
            "colour_t",
            "point_t",
            "point_t.y");

    /** Expressions that are found in the sound catalogue. */
    static final List<String> EXPRESSIONS =
            List.of("struct point+4", "origin+9", "union either+1", "class derived+8", "origins+70", "option+4");

    static final List<Query> ALL = List.of(
            CatalogueQueries::listNames,
            catalogue -> ITEMS.forEach(item -> writeAnswers(List.of(answer(item, catalogue)))),
            catalogue -> writeAnswers(CatalogueParts.names(catalogue, MAX_NAMES).stream()
                    .map(name -> ItemResolver.resolve(Item.ofType(name), catalogue, null))
                    .toList()),
            catalogue -> EXPRESSIONS.forEach(text -> writeResolution(OffsetExpression.parse(text), catalogue)),
            catalogue -> writeDiff(diff(catalogue, sound())),
            catalogue -> writeDiff(diff(sound(), catalogue)),
            catalogue -> writeDiff(diff(catalogue, catalogue)),
            catalogue -> writeDiff(LayoutDiff.ofNames(allNames(catalogue), catalogue, sound(), null)),
            CatalogueQueries::writeExports);

    private CatalogueQueries() {}

    /** A query on a catalogue that writes its answer in every representation. */
    @FunctionalInterface
    interface Query {
        void run(StoredCatalogue catalogue);
    }

    static StoredCatalogue sound() {
        return StoredCatalogue.of(soundBlob());
    }

    static byte[] soundBlob() {
        return CatalogueWriter.encode(soundTypes());
    }

    static TypeCatalogue soundTypes() {
        BaseShape integer = new BaseShape("int", 4, BaseShape.Encoding.SIGNED);
        BaseShape character = new BaseShape("char", 1, BaseShape.Encoding.OTHER);
        AggregateShape inner = aggregate(
                TypeKind.STRUCT,
                null,
                4,
                bits("low", 0, 3, integer),
                bits(null, 3, 2, integer),
                bits("high", 5, 9, integer));
        AggregateShape point = aggregate(
                TypeKind.STRUCT,
                "point",
                64,
                field("x", 0, integer),
                field("y", 4, integer),
                field("inner", 8, inner),
                field(null, 12, aggregate(TypeKind.UNION, null, 4, field("a", 0, integer), field("b", 0, character))),
                field("next", 16, Types.pointer("struct point *", "point")),
                field("grid", 24, new ArrayShape(new Spelling("int", "[2][3]"), integer, List.of(2L, 3L), 24)),
                field(
                        "tail",
                        64,
                        new ArrayShape(new Spelling("char", "[]"), character, List.of(ArrayShape.FLEXIBLE), 0)));
        AggregateShape either =
                aggregate(TypeKind.UNION, "either", 8, field("whole", 0, integer), field("part", 0, character));
        AggregateShape derived = aggregate(
                TypeKind.CLASS,
                "derived",
                80,
                new Member(
                        Member.Role.BASE_CLASS, "point", new MemberLocation.Fixed(0), Member.NOT_A_BIT_FIELD, 0, point),
                new Member(
                        Member.Role.BASE_CLASS,
                        "either",
                        new MemberLocation.Computed("virtual base class"),
                        Member.NOT_A_BIT_FIELD,
                        0,
                        either),
                field("own", 72, integer));
        EnumShape colour = new EnumShape(
                "colour", "enum colour", 4, true, List.of(new Enumerator("RED", 0), new Enumerator("BLUE", -1)));
        EnumShape wide = new EnumShape(null, "enum {...}", 16, false, List.of(Enumerator.tooWide("HUGE")));
        AggregateShape option = aggregate(
                TypeKind.STRUCT,
                "option",
                8,
                new Member(
                        Member.Role.DISCRIMINANT,
                        null,
                        new MemberLocation.Fixed(0),
                        Member.NOT_A_BIT_FIELD,
                        0,
                        integer),
                new Member(
                        Member.Role.FIELD,
                        "Some",
                        new MemberLocation.Fixed(32),
                        Member.NOT_A_BIT_FIELD,
                        0,
                        integer,
                        new Variant(List.of(new Variant.ValueRange(1, 3)), 4)));
        AliasShape pointAlias = new AliasShape("point_t", point);
        List<Definition> definitions = List.of(
                definition(TypeKind.STRUCT, "point", C, 11, point),
                definition(TypeKind.UNION, "either", C, 12, either),
                definition(TypeKind.CLASS, "derived", new Language("C++14", Language.Family.CPP), 13, derived),
                definition(TypeKind.ENUM, "colour", C, 14, colour),
                definition(TypeKind.ENUM, "", C, 15, wide),
                definition(TypeKind.STRUCT, "option", RUST, 16, option),
                definition(TypeKind.TYPEDEF, "point_t", C, 17, pointAlias),
                definition(TypeKind.TYPEDEF, "colour_t", C, 18, new AliasShape("colour_t", colour)),
                definition(TypeKind.STRUCT, "calls", C, 19, calls(integer)));
        List<Variable> variables = List.of(
                variable("origin", point, 0x1000L),
                variable(
                        "origins", new ArrayShape(new Spelling("point_t", "[4]"), pointAlias, List.of(4L), 256), null));
        return new TypeCatalogue(definitions, variables);
    }

    private static AggregateShape calls(BaseShape integer) {
        PointerShape constant = new PointerShape(
                PointerKind.REFERENCE,
                new Spelling("const int &", ""),
                8,
                new AliasShape(AliasKind.CONST, Spelling.of("const int"), integer));
        FunctionShape call =
                new FunctionShape(new Spelling("int", "(const int &, ...)"), integer, List.of(constant), true);
        return aggregate(
                TypeKind.STRUCT,
                "calls",
                24,
                field(
                        "call",
                        0,
                        new PointerShape(PointerKind.POINTER, call.declarator().pointer("*"), 8, call)),
                field("constant", 8, constant),
                field("subrange", 16, new AliasShape(AliasKind.OTHER, Spelling.of("int"), integer)),
                field("named", 20, new AliasShape(AliasKind.CONST, Spelling.of("const int"), integer)));
    }

    private static AggregateShape aggregate(TypeKind kind, @Nullable String name, long size, Member... members) {
        String spelling = kind.word() + " " + (name == null ? "{...}" : name);
        return new AggregateShape(kind, name, spelling, size, 0, List.of(members));
    }

    private static Member field(@Nullable String name, long offset, TypeShape type) {
        return new Member(
                Member.Role.FIELD, name, new MemberLocation.Fixed(offset * Byte.SIZE), Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static Member bits(@Nullable String name, long bitOffset, int bitSize, TypeShape type) {
        return new Member(Member.Role.FIELD, name, new MemberLocation.Fixed(bitOffset), bitSize, 4, type);
    }

    private static Definition definition(TypeKind kind, String name, Language language, long die, TypeShape shape) {
        return new Definition(kind, name, name, null, "unit.c", language, ".debug_info", die, shape);
    }

    private static Variable variable(String name, TypeShape type, @Nullable Long address) {
        return new Variable(name, name, null, null, "unit.c", C, false, address, null, type);
    }

    private static void listNames(StoredCatalogue catalogue) {
        for (String name : CatalogueParts.names(catalogue, MAX_NAMES)) {
            catalogue.summary(name);
            catalogue.definitionsNamed(name);
        }
        catalogue.qualifiedNames();
        catalogue.enumeratorsNamed("HUGE");
        catalogue.variablesNamed("origin");
    }

    static ItemAnswer answer(String item, StoredCatalogue catalogue) {
        return ItemResolver.resolve(ItemParser.parse(item), catalogue, null);
    }

    static OffsetAnswer answer(OffsetExpression expression, StoredCatalogue catalogue) {
        return OffsetResolver.resolve(expression, catalogue, null);
    }

    private static List<TypeDiff> diff(StoredCatalogue from, StoredCatalogue to) {
        List<Item> items = ITEMS.stream().map(ItemParser::parse).toList();
        return LayoutDiff.ofItems(items, from, to, null);
    }

    private static Set<String> allNames(StoredCatalogue catalogue) {
        Set<String> names = new LinkedHashSet<>(CatalogueParts.names(catalogue, MAX_NAMES));
        names.add("point");
        return names;
    }

    private static void writeAnswers(List<ItemAnswer> answers) {
        for (View view : View.values()) {
            AnswerWriter writer = new AnswerWriter(view);
            generate(out -> writer.writeAnswers(out, answers, "debuginfo"));
        }
        LayoutText.lines(answers, 0);
        ConstantsHeader.lines(answers, PinnedTypes.NONE, null, null);
    }

    private static void writeDiff(List<TypeDiff> diffs) {
        generate(out -> DiffWriter.writeTypes(out, diffs));
        DiffText.lines(diffs);
        DiffWriter.pinsFrom(diffs, PinnedTypes.NONE);
    }

    private static void writeExports(StoredCatalogue catalogue) {
        Architecture architecture = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);
        IsfRenderer.ExportedBuild build = new IsfRenderer.ExportedBuild(null, architecture, 1, null);
        for (ExportRenderer renderer : List.of(
                new BtfRenderer(architecture, null),
                new IsfRenderer(
                        build, StoredSymbols.of(SymbolTable.of(List.of(), ValueRule.ADDRESS, null, List.of()))))) {
            try {
                renderer.render(ExportedTypes.whole(catalogue, NameStyle.SPELLED), OutputStream.nullOutputStream());
                renderer.render(
                        renderer.select(List.of(ItemParser.parse("point")), catalogue, NameStyle.SPELLED),
                        OutputStream.nullOutputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (ExportLimitException e) {
                // An expected outcome, which is 422.
            }
        }
    }

    private static void writeResolution(OffsetExpression expression, StoredCatalogue catalogue) {
        OffsetAnswer answer = answer(expression, catalogue);
        generate(out -> {
            out.writeStartObject();
            ResolutionWriter.writeProperties(out, expression, answer);
            out.writeEndObject();
        });
        ResolutionText.lines(expression, answer);
    }

    private static void generate(Consumer<JsonGenerator> writing) {
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), OutputStream.nullOutputStream())) {
            writing.accept(out);
        }
    }
}
