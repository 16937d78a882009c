package dev.offsetd.query.answer;

import static dev.offsetd.extractor.testkit.Types.C;
import static dev.offsetd.extractor.testkit.Types.CHAR;
import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.RUST;
import static dev.offsetd.extractor.testkit.Types.UNSIGNED;
import static dev.offsetd.extractor.testkit.Types.UNSIGNED_LONG;
import static dev.offsetd.extractor.testkit.Types.alias;
import static dev.offsetd.extractor.testkit.Types.array;
import static dev.offsetd.extractor.testkit.Types.base;
import static dev.offsetd.extractor.testkit.Types.bits;
import static dev.offsetd.extractor.testkit.Types.build;
import static dev.offsetd.extractor.testkit.Types.computed;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.enumeration;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.in;
import static dev.offsetd.extractor.testkit.Types.incomplete;
import static dev.offsetd.extractor.testkit.Types.local;
import static dev.offsetd.extractor.testkit.Types.pointer;
import static dev.offsetd.extractor.testkit.Types.struct;
import static dev.offsetd.extractor.testkit.Types.union;
import static dev.offsetd.extractor.testkit.Types.unnamed;
import static dev.offsetd.extractor.testkit.Types.virtualBase;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.View;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AnswerWriterTests {

    private static final JsonMapper JSON = new JsonMapper();

    private static final AggregateShape CONTROL_FRAME = struct(
            "rb_control_frame_struct",
            56,
            field("pc", 0, pointer("const VALUE *", "VALUE")),
            field("sp", 8, pointer("VALUE *", "VALUE")),
            field("iseq", 16, pointer("const rb_iseq_t *", "rb_iseq_t")),
            field("self", 24, alias("VALUE", UNSIGNED_LONG)),
            field("ep", 32, pointer("const VALUE *", "VALUE")),
            field("block_code", 40, pointer("const void *", null)),
            field("jit_return", 48, pointer("void *", null)));

    private static final EnumShape REASON =
            enumeration("method_missing_reason", 4, false, new Enumerator("MISSING_NOENTRY", 0));

    private static final TypeIndex RUBY = build(
            in("cruby.rs", RUST, define(struct("rb_control_frame_struct", 0, field("_data", 0, array(CHAR, 0))))),
            define(CONTROL_FRAME),
            define(alias("VALUE", UNSIGNED_LONG)),
            define(struct(
                    "rb_execution_context_struct",
                    384,
                    field("vm_stack", 0, pointer("VALUE *", "VALUE")),
                    field("cfp", 16, pointer("rb_control_frame_t *", "rb_control_frame_t")),
                    bits("method_missing_reason", 1032, 8, REASON))),
            define(struct(
                    "RString",
                    32,
                    field("len", 16, LONG),
                    field(
                            "as",
                            24,
                            union(
                                    null,
                                    8,
                                    field("heap", 0, struct(null, 8, field("ptr", 0, pointer("char *", "char")))),
                                    field("embed", 0, array(CHAR, 1)))))));

    @Test
    void mainExampleOfTheContract() {
        assertAnswers(
                View.FIELDS,
                RUBY,
                """
                {"rb_control_frame_struct": {"status": "found", "kind": "struct", "size": 56, "language": "C11",
                    "source": "p1", "fields": {
                      "pc": {"offset": 0, "size": 8, "type": "const VALUE *"},
                      "sp": {"offset": 8, "size": 8, "type": "VALUE *"},
                      "iseq": {"offset": 16, "size": 8, "type": "const rb_iseq_t *"},
                      "self": {"offset": 24, "size": 8, "type": "VALUE"},
                      "ep": {"offset": 32, "size": 8, "type": "const VALUE *"},
                      "block_code": {"offset": 40, "size": 8, "type": "const void *"},
                      "jit_return": {"offset": 48, "size": 8, "type": "void *"}}},
                 "RString.as.heap.ptr": {"status": "found", "offset": 24, "size": 8, "type": "char *", "source": "p1"},
                 "rb_execution_context_struct.method_missing_reason": {"status": "found", "offset": 129, "size": 1,
                    "bitOffset": 1032, "bitSize": 8, "storageSize": 4, "signed": false,
                    "type": "enum method_missing_reason", "source": "p1"},
                 "VALUE": {"status": "found", "kind": "typedef", "size": 8, "type": "long unsigned int",
                    "source": "p1"},
                 "nope": {"status": "type_not_found"}}
                """,
                "rb_control_frame_struct",
                "RString.as.heap.ptr",
                "rb_execution_context_struct.method_missing_reason",
                "VALUE",
                "nope");
    }

    @ParameterizedTest
    @EnumSource(View.class)
    void flatViewListsIncompleteItemsBesideItsArrays(View view) {
        List<ItemAnswer> answers = Stream.of("VALUE", "rb_control_frame_struct.pc", "nope")
                .map(item -> ItemResolver.resolve(ItemParser.parse(item), RUBY, null))
                .map(answer -> new ItemAnswer(
                        answer.item(),
                        null,
                        answer.outcome(),
                        !answer.item().text().equals("VALUE"),
                        List.of()))
                .toList();
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(text)) {
            out.writeStartObject();
            AnswerWriter.writeIncompleteItems(out, view, answers);
            AnswerWriter.writeIncompleteItems(out, view, answers.subList(0, 1));
            out.writeEndObject();
        }
        assertThat(text)
                .hasToString(
                        view == View.FLAT ? "{\"incompleteItems\":[\"rb_control_frame_struct.pc\",\"nope\"]}" : "{}");
    }

    @Test
    void flatViewHasOffsetsAndSizesOnly() {
        assertAnswers(
                View.FLAT,
                RUBY,
                """
                {"rb_execution_context_struct": [0, 384],
                 "rb_execution_context_struct.vm_stack": [0, 8],
                 "rb_execution_context_struct.method_missing_reason": [129, 1, 1032, 8],
                 "rb_execution_context_struct.cfp": [16, 8],
                 "VALUE": [0, 8],
                 "nope": {"status": "type_not_found"}}
                """,
                "rb_execution_context_struct",
                "rb_execution_context_struct.cfp",
                "VALUE",
                "nope");
    }

    @Test
    void flatViewKeepsWhatHasNoPlainOffset() {
        TypeIndex build = build(
                define(struct(
                        "s",
                        16,
                        field("o", 0, incomplete("struct o")),
                        computed("v", LONG),
                        field("twice", 0, INT),
                        field("twice", 4, INT))),
                define(enumeration("e", 4, false, new Enumerator("A", 1))));

        assertAnswers(View.FLAT, build, """
                {"s": [0, 16],
                 "s.o": [0, null],
                 "s.v": {"status": "computed", "reason": "location is an expression", "type": "long int"},
                 "s.twice": {"status": "ambiguous", "placements": [
                    {"offset": 0, "size": 4, "type": "int"}, {"offset": 4, "size": 4, "type": "int"}]},
                 "enumerator A": {"status": "found", "kind": "enumerator", "value": 1, "size": 4, "type": "enum e",
                    "enumeration": "e", "source": "p1"}}
                """, "s", "enumerator A");
    }

    @Test
    void unnamedMembersAreLiftedAndNamesThatOccurTwiceSetApart() {
        TypeIndex build = build(define(struct(
                "s",
                24,
                field("a", 0, INT),
                unnamed(8, union(null, 8, field("b", 0, LONG), unnamed(0, struct(null, 8, field("c", 4, INT))))),
                unnamed(16, struct(null, 8, field("a", 4, INT))))));

        assertAnswers(View.FIELDS, build, """
                {"s": {"status": "found", "kind": "struct", "size": 24, "language": "C11", "source": "p1",
                   "fields": {
                     "b": {"offset": 8, "size": 8, "type": "long int"},
                     "c": {"offset": 12, "size": 4, "type": "int"}},
                   "ambiguousFields": {
                     "a": [{"offset": 0, "size": 4, "type": "int"}, {"offset": 20, "size": 4, "type": "int"}]}}}
                """, "s");
    }

    @Test
    void arraysHaveCounts() {
        TypeIndex build = build(
                define(struct(
                        "s",
                        32,
                        field("grid", 0, array(INT, 2, 3)),
                        field("zero", 24, array(INT, 0)),
                        field("rows", 24, array(alias("row", array(CHAR, 2)), 4)),
                        field("tail", 32, array(LONG, ArrayShape.FLEXIBLE)))),
                define(alias("grid_t", array(INT, 2, 3))));

        assertAnswers(View.FIELDS, build, """
                {"s": {"status": "found", "kind": "struct", "size": 32, "language": "C11", "source": "p1",
                   "fields": {
                     "grid": {"offset": 0, "size": 24, "type": "int [2][3]", "counts": [2, 3]},
                     "zero": {"offset": 24, "size": 0, "type": "int [0]", "counts": [0]},
                     "rows": {"offset": 24, "size": 8, "type": "row [4]", "counts": [4, 2]},
                     "tail": {"offset": 32, "size": 0, "type": "long int []", "counts": [null]}}},
                 "s.grid[1]": {"status": "found", "offset": 12, "size": 12, "type": "int [3]", "counts": [3],
                   "source": "p1"},
                 "s.grid[5][0]": {"status": "found", "offset": 60, "size": 4, "type": "int", "pastEnd": true,
                   "source": "p1"},
                 "grid_t": {"status": "found", "kind": "typedef", "size": 24, "type": "int [2][3]", "counts": [2, 3],
                   "source": "p1"}}
                """, "s", "s.grid[1]", "s.grid[5][0]", "grid_t");
    }

    @Test
    void pathToAStructSaysItsKind() {
        assertAnswers(View.FIELDS, RUBY, """
                {"RString.as": {"status": "found", "offset": 24, "size": 8, "type": "union {...}", "kind": "union",
                   "source": "p1"}}
                """, "RString.as");
    }

    @Test
    void basesComeAfterOwnFieldsAndComputedPlacesAreSaid() {
        AggregateShape base = struct("Base", 16, field("id", 0, LONG), field("x", 8, INT));
        AggregateShape other = struct("Other", 8, field("x", 0, INT));
        TypeIndex build = build(
                define(struct("D", 32, base(0, base), base(16, other), field("id", 24, LONG))),
                define(struct("V", 16, field("own", 8, LONG), virtualBase(other))));

        assertAnswers(View.FIELDS, build, """
                {"D": {"status": "found", "kind": "struct", "size": 32, "language": "C11", "source": "p1",
                   "fields": {"id": {"offset": 24, "size": 8, "type": "long int"}},
                   "ambiguousFields": {
                     "x": [{"offset": 8, "size": 4, "type": "int"}, {"offset": 16, "size": 4, "type": "int"}]}},
                 "V": {"status": "found", "kind": "struct", "size": 16, "language": "C11", "source": "p1",
                   "fields": {
                     "own": {"offset": 8, "size": 8, "type": "long int"},
                     "x": {"status": "computed", "reason": "virtual base class", "type": "int"}}},
                 "V.x": {"status": "computed", "at": {"path": "V.x"}, "reason": "virtual base class",
                   "source": "p1"},
                 "D.x": {"status": "ambiguous", "source": "p1", "definitions": [
                   {"unit": "main.c", "language": "C11", "name": "D", "status": "found", "offset": 8, "size": 4,
                    "type": "int"},
                   {"unit": "main.c", "language": "C11", "name": "D", "status": "found", "offset": 16, "size": 4,
                    "type": "int"}]}}
                """, "D", "V", "V.x", "D.x");
    }

    @Test
    void membersViewIsAnOrderedTreeWithPadding() {
        AggregateShape base = struct("Base", 8, field("l", 0, LONG));
        TypeIndex build = build(define(struct(
                "D",
                40,
                base(0, base),
                bits("flag", 64, 1, UNSIGNED),
                field("in", 12, struct("in", 4, field("z", 0, INT))),
                unnamed(16, union(null, 16, field("c", 0, CHAR), field("l2", 0, LONG))),
                field("tail", 40, array(CHAR, ArrayShape.FLEXIBLE)))));

        assertAnswers(View.MEMBERS, build, """
                {"D": {"status": "found", "kind": "struct", "size": 40, "language": "C11", "source": "p1", "members": [
                   {"base": true, "offset": 0, "size": 8, "type": "struct Base", "kind": "struct", "members": [
                     {"name": "l", "offset": 0, "size": 8, "type": "long int"}]},
                   {"name": "flag", "offset": 8, "size": 1, "bitOffset": 64, "bitSize": 1, "storageSize": 4,
                    "signed": false, "type": "unsigned int"},
                   {"padding": true, "offset": 8, "size": 1, "bitOffset": 65, "bitSize": 7},
                   {"padding": true, "offset": 9, "size": 3},
                   {"name": "in", "offset": 12, "size": 4, "type": "struct in", "kind": "struct"},
                   {"name": null, "offset": 16, "size": 16, "type": "union {...}", "kind": "union", "members": [
                     {"name": "c", "offset": 16, "size": 1, "type": "char"},
                     {"name": "l2", "offset": 16, "size": 8, "type": "long int"},
                     {"padding": true, "offset": 24, "size": 8}]},
                   {"padding": true, "offset": 32, "size": 8},
                   {"name": "tail", "offset": 40, "size": 0, "type": "char []", "counts": [null]}]}}
                """, "D");
    }

    @Test
    void typedefOfAStructTagAndScopeAreSaid() {
        TypeIndex build = build(
                define(alias("node", pointer("struct node *", "struct node"))),
                define(struct("node", 8)),
                define(alias("pair_t", struct(null, 8, field("a", 0, INT)))),
                local("main", define(struct("inside", 4))),
                define(
                        TypeKind.STRUCT,
                        "aligned",
                        new AggregateShape(TypeKind.STRUCT, "aligned", "struct aligned", 64, 64, List.of())),
                define(INT),
                define(alias("void_t", incomplete("void"))));

        assertAnswers(View.FIELDS, build, """
                {"node": {"status": "found", "kind": "struct", "size": 8, "language": "C11", "source": "p1",
                   "alsoMatches": [{"kind": "typedef", "unit": "main.c", "language": "C11", "name": "node", "size": 8,
                     "type": "struct node *"}],
                   "fields": {}},
                 "pair_t": {"status": "found", "kind": "struct", "via": "typedef", "size": 8, "language": "C11",
                   "source": "p1", "fields": {"a": {"offset": 0, "size": 4, "type": "int"}}},
                 "inside": {"status": "found", "kind": "struct", "scope": "main", "size": 4, "language": "C11",
                   "source": "p1", "fields": {}},
                 "aligned": {"status": "found", "kind": "struct", "size": 64, "align": 64, "language": "C11",
                   "source": "p1", "fields": {}},
                 "int": {"status": "found", "kind": "base", "size": 4, "source": "p1"}}
                """, "node", "pair_t", "inside", "aligned", "int");
    }

    @Test
    void misses() {
        TypeIndex build = build(
                define(struct(
                        "s",
                        16,
                        field("p", 8, pointer("struct t *", "struct t")),
                        field("v", 0, pointer("void *", null)))),
                define(alias("opaque_t", incomplete("struct opaque"))));

        assertAnswers(View.FIELDS, build, """
                {"s.p.x": {"status": "crosses_pointer", "pointee": "struct t",
                   "at": {"path": "s.p", "offset": 8, "size": 8, "type": "struct t *"}, "source": "p1"},
                 "s.v.x": {"status": "crosses_pointer",
                   "at": {"path": "s.v", "offset": 0, "size": 8, "type": "void *"}, "source": "p1"},
                 "s.x|s.y": {"status": "field_not_found", "matched": "s.x", "detail": "\\"s\\" has no member \\"x\\""},
                 "opaque_t": {"status": "declaration_only", "detail": "the build only declares it"}}
                """, "s.p.x", "s.v.x", "s.x|s.y", "opaque_t");
    }

    @Test
    void differingDefinitionsAreListed() {
        Definition first = define(struct("s", 8, field("a", 0, LONG), field("b", 4, INT)));
        Definition second = in("b.c", C, define(struct("s", 12, field("a", 0, LONG), field("b", 8, INT))));

        assertAnswers(View.FIELDS, build(first, second, in("c.c", C, first)), """
                {"s": {"status": "ambiguous", "source": "p1", "definitions": [
                   {"unit": "main.c", "language": "C11", "name": "s", "status": "found", "kind": "struct", "size": 8},
                   {"unit": "b.c", "language": "C11", "name": "s", "status": "found", "kind": "struct", "size": 12}]},
                 "s.a": {"status": "found", "offset": 0, "size": 8, "type": "long int", "source": "p1"},
                 "s.b": {"status": "ambiguous", "source": "p1", "definitions": [
                   {"unit": "main.c", "language": "C11", "name": "s", "status": "found", "offset": 4, "size": 4,
                    "type": "int"},
                   {"unit": "b.c", "language": "C11", "name": "s", "status": "found", "offset": 8, "size": 4,
                    "type": "int"}]}}
                """, "s", "s.a", "s.b");
    }

    @Test
    void valuesOf8ByteEnumerationsAreHexAllOthersNumbers() {
        TypeIndex build = build(
                define(enumeration("small", 4, true, new Enumerator("MINUS", -1), new Enumerator("ONE", 1))),
                define(enumeration("flags", 4, false, new Enumerator("TOP", 0xffff_ffffL), new Enumerator("LOW", -2))),
                define(enumeration("big", 8, true, new Enumerator("NEG", -1), new Enumerator("FIVE", 5))),
                define(enumeration(null, 8, false, new Enumerator("HUGE", Long.MIN_VALUE))));

        assertAnswers(View.FIELDS, build, """
                {"small": {"status": "found", "kind": "enum", "size": 4, "language": "C11", "source": "p1",
                   "enumerators": [{"name": "MINUS", "value": -1}, {"name": "ONE", "value": 1}]},
                 "flags": {"status": "found", "kind": "enum", "size": 4, "language": "C11", "source": "p1",
                   "enumerators": [{"name": "TOP", "value": 4294967295}, {"name": "LOW", "value": 4294967294}]},
                 "big": {"status": "found", "kind": "enum", "size": 8, "language": "C11", "source": "p1",
                   "enumerators": [{"name": "NEG", "value": "0xffffffffffffffff"}, {"name": "FIVE", "value": "0x5"}]},
                 "enumerator HUGE": {"status": "found", "kind": "enumerator", "value": "0x8000000000000000",
                   "size": 8, "type": "enum {...}", "source": "p1"},
                 "enumerator ONE": {"status": "found", "kind": "enumerator", "value": 1, "size": 4,
                   "type": "enum small", "enumeration": "small", "source": "p1"}}
                """, "small", "flags", "big", "enumerator HUGE", "enumerator ONE");
    }

    @Test
    void bitFieldTouchesTheBytesThatItsBitsLieIn() {
        TypeIndex build =
                build(define(struct("s", 8, bits("a", 7, 2, INT), bits("b", 9, 15, INT), bits("c", 24, 33, LONG))));

        assertAnswers(View.FLAT, build, """
                {"s": [0, 8], "s.a": [0, 2, 7, 2], "s.b": [1, 2, 9, 15], "s.c": [3, 5, 24, 33]}
                """, "s");
    }

    @Test
    void offsetsPast32BitsAreNumbers() {
        TypeIndex build = build(define(struct("s", 1L << 50, field("a", (1L << 50) - 8, LONG))));

        assertAnswers(View.FLAT, build, """
                {"s": [0, 1125899906842624], "s.a": [1125899906842616, 8]}
                """, "s");
    }

    @ParameterizedTest
    @EnumSource(View.class)
    void everyItemHasItsAnswerUnderItsText(View view) {
        Random random = new Random(20261120);
        String[] starts = {"RString", "VALUE", "struct rb_control_frame_struct", "method_missing_reason", "nope", "int"
        };
        String[] steps = {".as", ".heap", ".ptr", ".embed", "[0]", "[7]", "[4611686018427387904]", ".cfp", ".len", ".x"
        };
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            StringBuilder text = new StringBuilder(starts[random.nextInt(starts.length)]);
            for (int n = random.nextInt(4); n > 0; n--) {
                text.append(steps[random.nextInt(steps.length)]);
            }
            items.add(ItemParser.parse(text + (random.nextInt(4) == 0 ? "|" + starts[random.nextInt(6)] : "")));
        }
        JsonNode written = JSON.readTree(write(view, RUBY, items));

        for (Item item : items) {
            JsonNode answer = written.get(item.text());
            assertThat(answer).as(item.text()).isNotNull();
            assertThat(answer.isArray() || answer.has("status")).as(item.text()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(View.class)
    void viewIsParsedFromItsWord(View view) {
        assertThat(View.parse(view.word())).isEqualTo(view);
    }

    @Test
    void unknownViewIsNamed() {
        assertThatThrownBy(() -> View.parse("Flat"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("view is \"Flat\"; expected fields, members, flat or map");
    }

    private static void assertAnswers(View view, TypeIndex build, String expected, String... items) {
        String written = write(view, build, ItemParser.parseEach(List.of(items)));

        assertThat(written).isEqualTo(JSON.readTree(expected).toString());
    }

    private static String write(View view, TypeIndex build, List<Item> items) {
        List<ItemAnswer> answers = items.stream()
                .map(item -> ItemResolver.resolve(item, build, null))
                .toList();
        StringWriter written = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(written)) {
            new AnswerWriter(view).writeAnswers(out, answers, "p1");
        }
        return written.toString();
    }
}
