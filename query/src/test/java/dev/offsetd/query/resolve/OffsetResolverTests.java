package dev.offsetd.query.resolve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.query.answer.ResolutionText;
import dev.offsetd.query.answer.ResolutionWriter;
import dev.offsetd.query.resolve.OffsetAnswer.Resolved;
import dev.offsetd.query.resolve.OffsetAnswer.Status;
import dev.offsetd.query.resolve.OffsetAnswer.Subject;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

class OffsetResolverTests {

    private static final Language C = new Language("C11", Language.Family.C);
    private static final Language RUST = new Language("Rust", Language.Family.RUST);
    private static final BaseShape INT = new BaseShape("int", 4, BaseShape.Encoding.SIGNED);
    private static final BaseShape LONG = new BaseShape("long int", 8, BaseShape.Encoding.SIGNED);
    private static final BaseShape CHAR = new BaseShape("char", 1, BaseShape.Encoding.SIGNED);
    private static final TypeShape DECLARED = new IncompleteShape("struct s", IncompleteShape.Reason.DECLARED);

    private static AggregateShape struct(String name, long size, Member... members) {
        return new AggregateShape(TypeKind.STRUCT, name, "struct " + name, size, 0, List.of(members));
    }

    private static AggregateShape union(@Nullable String name, long size, Member... members) {
        return new AggregateShape(TypeKind.UNION, name, "union {...}", size, 0, List.of(members));
    }

    private static Member field(@Nullable String name, long offset, TypeShape type) {
        return new Member(
                Member.Role.FIELD, name, new MemberLocation.Fixed(offset * 8), Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static Member base(long offset, TypeShape type) {
        return new Member(
                Member.Role.BASE_CLASS, null, new MemberLocation.Fixed(offset * 8), Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static Member bits(String name, long bitOffset, int bitSize) {
        return new Member(Member.Role.FIELD, name, new MemberLocation.Fixed(bitOffset), bitSize, 4, INT);
    }

    private static ArrayShape array(TypeShape element, Long... counts) {
        long[] plain = List.of(counts).stream().mapToLong(Long::longValue).toArray();
        return new ArrayShape(
                element.declarator().array("[...]"),
                element,
                List.of(counts),
                ArrayShape.byteSize(element.byteSize(), plain));
    }

    private static Definition type(AggregateShape shape) {
        return new Definition(
                shape.kind(),
                String.valueOf(shape.name()),
                String.valueOf(shape.name()),
                null,
                "a.c",
                C,
                ".debug_info",
                0,
                shape);
    }

    private static Variable variable(String name, TypeShape type) {
        return new Variable(name, name, null, null, "a.c", C, false, 0x1000L, null, type);
    }

    @Test
    void variablesOfOneNameAreComparedInLinearTime() throws IOException {
        int count = 60_000;
        List<Variable> variables = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            variables.add(variable("v", struct("s" + i, 8, field("m" + i / 2, 0, INT))));
        }
        TypeCatalogue build = new TypeCatalogue(List.of(), variables);

        assertThat(HostileRun.answer(
                        "variables",
                        512 << 20,
                        () -> OffsetResolver.resolve(OffsetExpression.parse("v+0"), build, null)))
                .hasValueSatisfying(answer -> {
                    OffsetAnswer.Ambiguous ambiguous = (OffsetAnswer.Ambiguous) answer;
                    assertThat(ambiguous.total()).isEqualTo(count / 2);
                    assertThat(ambiguous.variants())
                            .hasSize(OffsetResolver.MAX_VARIANTS)
                            .allSatisfy(
                                    variant -> assertThat(variant.subjects()).hasSize(2));
                });
    }

    @Test
    void comparisonOfVariablesEndsAtTheDeadline() {
        TypeCatalogue build = new TypeCatalogue(List.of(), Collections.nCopies(1_000, variable("v", INT)));
        assertThatThrownBy(() -> Deadline.afterChecks(500)
                        .during(() -> OffsetResolver.resolve(OffsetExpression.parse("v+0"), build, null)))
                .isInstanceOf(DeadlineExceededException.class);
    }

    private static Variable declared(String name, TypeShape type) {
        return new Variable(name, name, null, null, "b.c", C, true, null, null, type);
    }

    private static OffsetAnswer ask(String expression, List<Definition> types, Variable... variables) {
        return OffsetResolver.resolve(
                OffsetExpression.parse(expression), new TypeCatalogue(types, List.of(variables)), null);
    }

    private static OffsetAnswer ask(long offset, TypeShape type) {
        return ask("x+" + offset, List.of(), variable("x", type));
    }

    /**
     * Formats leaves as {@code path@offset:size}, padding as {@code padding@offset:size}, bits as {@code
     * path@bit/width}.
     */
    private static List<String> leaves(OffsetAnswer answer) {
        assertThat(answer.status()).isEqualTo(Status.FOUND);
        List<String> leaves = new ArrayList<>();
        collect(((Resolved) answer).root(), leaves);
        return leaves;
    }

    private static void collect(ResolutionStep step, List<String> leaves) {
        if (step.isLeaf()) {
            leaves.add((step.kind() == ResolutionStep.Kind.PADDING ? "padding" : step.path())
                    + (step.hasBits()
                            ? "@" + step.bitOffset() + "/" + step.bitSize()
                            : "@" + step.offset() + ":" + step.size())
                    + (step.pastEnd() ? "!" : ""));
        }
        step.contents().forEach(inner -> collect(inner, leaves));
    }

    @Test
    void wayLeadsFromTheOutermostToTheLeaf() {
        AggregateShape inner = struct("inner", 8, field("a", 0, INT), field("b", 4, INT));
        OffsetAnswer answer = ask(22, struct("s", 24, field("n", 0, LONG), field("in", 8, array(inner, 2L))));

        assertThat(leaves(answer)).containsExactly("x.in[1].b@20:4");
        ResolutionStep root = ((Resolved) answer).root();
        assertThat(root.kind()).isEqualTo(ResolutionStep.Kind.VARIABLE);
        ResolutionStep array = root.contents().getFirst();
        ResolutionStep element = array.contents().getFirst();
        assertThat(array.offsetInParent()).isEqualTo(8);
        assertThat(element).satisfies(step -> {
            assertThat(step.name()).isEqualTo("[1]");
            assertThat(step.offset()).isEqualTo(16);
            assertThat(step.offsetInParent()).isEqualTo(8);
            assertThat(step.size()).isEqualTo(8);
            assertThat(step.type()).isEqualTo("struct inner");
        });
    }

    /** A member of unknown size has no known end, so the bytes after its start are not reported as padding. */
    @Test
    void bytesAfterTheStartOfAMemberOfUnknownSizeAreNotPadding() {
        AggregateShape s = struct("s", 32, field("a", 0, INT), field("e", 8, DECLARED), field("b", 24, INT));

        assertThat(leaves(ask(5, s))).containsExactly("padding@4:4");
        assertThat(leaves(ask(8, s))).containsExactly("x.e@8:-1");
        assertThat(leaves(ask(20, s))).containsExactly("x.e@8:-1");
        assertThat(leaves(ask(29, s))).containsExactly("padding@28:4");
    }

    /** In column-major order with indexes from 1, byte 4 is {@code c(2,1)}. */
    @Test
    void elementsAreNamedByTheIndexesOfTheSource() {
        ArrayShape columns = new ArrayShape(
                new Spelling("int", "[1:2][1:3]"),
                INT,
                List.of(2L, 3L),
                24,
                new ArrayShape.Indexing(List.of(1L, 1L), List.of(32L, 64L), 32, null));
        ArrayShape packed = new ArrayShape(
                new Spelling("char", "[1:13]"),
                new BaseShape("char", 1, BaseShape.Encoding.BOOLEAN),
                List.of(13L),
                2,
                new ArrayShape.Indexing(List.of(1L), List.of(1L), 1, null));
        AggregateShape s = struct("s", 32, field("c", 0, columns), field("p", 24, packed));

        assertThat(leaves(ask(4, s))).containsExactly("x.c[2][1]@4:4");
        assertThat(leaves(ask(21, s))).containsExactly("x.c[2][3]@20:4");
        assertThat(leaves(ask(25, s)))
                .containsExactly("x.p[9]@200/1", "x.p[10]@201/1", "x.p[11]@202/1", "x.p[12]@203/1", "x.p[13]@204/1");
    }

    @Test
    void unionsAndUnnamedMembersBranch() {
        AggregateShape either = union(
                null,
                8,
                field("whole", 0, LONG),
                field("half", 0, INT),
                field(null, 0, struct("", 8, field("deep", 4, INT))));
        AggregateShape s = struct("s", 16, field("first", 0, LONG), field(null, 8, either));

        assertThat(leaves(ask(9, s))).containsExactly("x.whole@8:8", "x.half@8:4", "padding@8:4");
        assertThat(leaves(ask(13, s))).containsExactly("x.whole@8:8", "x.deep@12:4");
    }

    @Test
    void everyBitFieldOfTheByteIsFollowed() {
        AggregateShape s = struct("s", 4, bits("a", 0, 3), bits("b", 3, 6), bits("c", 9, 2));

        assertThat(leaves(ask(0, s))).containsExactly("x.a@0/3", "x.b@3/6");
        assertThat(leaves(ask(1, s))).containsExactly("x.b@3/6", "x.c@9/2", "padding@11/21");
        assertThat(leaves(ask(2, s))).containsExactly("padding@11/21");
    }

    @Test
    void paddingIsSaidWithItsRange() {
        AggregateShape s = struct("s", 24, field("c", 0, CHAR), field("l", 8, LONG), field("d", 16, CHAR));

        assertThat(leaves(ask(5, s))).containsExactly("padding@1:7");
        assertThat(leaves(ask(23, s))).containsExactly("padding@17:7");
    }

    @Test
    void severalDimensionsAreOneStep() {
        assertThat(leaves(ask(4 * (5 + 1) + 3, array(INT, 2L, 5L)))).containsExactly("x[1][1]@24:4");
    }

    @Test
    void flexibleArrayGoesOnBehindTheEnd() {
        AggregateShape s = struct("s", 8, field("n", 0, INT), field("c", 4, CHAR), field("data", 5, array(CHAR, -1L)));

        assertThat(leaves(ask(6, s))).containsExactly("x.data[1]@6:1");
        assertThat(leaves(ask(100, s))).containsExactly("x.data[95]@100:1");
    }

    @Test
    void indexBehindTheCountIsFlagged() {
        AggregateShape gnu = struct("s", 4, field("n", 0, INT), field("data", 4, array(INT, 0L)));
        AggregateShape old = struct("s", 8, field("n", 0, INT), field("data", 4, array(INT, 1L)));

        assertThat(leaves(ask(4, gnu))).containsExactly("x.data[0]@4:4!");
        assertThat(leaves(ask(4, old))).containsExactly("x.data[0]@4:4");
        assertThat(leaves(ask(9, old))).containsExactly("x.data[1]@8:4!");
    }

    @Test
    void byteBehindTheEndIsSaid() {
        AggregateShape s = struct("s", 12, field("n", 0, INT), field("data", 4, array(INT, 2L)));

        assertThat(ask(12, s).status()).isEqualTo(Status.PAST_END);
        assertThat(ask(4, INT).status()).isEqualTo(Status.PAST_END);
        assertThat(ask(OffsetExpression.MAX_OFFSET, s).status()).isEqualTo(Status.PAST_END);
    }

    @Test
    void memberInThePaddingOfTheBaseClassIsFoundAlone() {
        AggregateShape empty = struct("empty", 1);
        AggregateShape parent = struct("parent", 16, field("l", 0, LONG), field("i", 8, INT));
        AggregateShape derived = struct("derived", 16, base(0, empty), base(0, parent), field("own", 12, INT));

        assertThat(leaves(ask(12, derived))).containsExactly("x.own@12:4");
        assertThat(leaves(ask(9, derived))).containsExactly("x.i@8:4");
    }

    @Test
    void byteOfNothingButEmptyBasesIsPaddingOfThese() {
        AggregateShape derived =
                struct("derived", 8, base(0, struct("one", 1)), base(0, struct("other", 1)), field("own", 4, INT));

        assertThat(((Resolved) ask(0, derived)).root().contents())
                .hasSize(2)
                .allMatch(step -> step.kind() == ResolutionStep.Kind.BASE_CLASS
                        && step.contents().getFirst().kind() == ResolutionStep.Kind.PADDING);
    }

    @Test
    void whereAVirtualBaseMayLieNoPaddingIsClaimed() {
        Member virtual = new Member(
                Member.Role.BASE_CLASS,
                null,
                new MemberLocation.Computed("virtual base class"),
                Member.NOT_A_BIT_FIELD,
                0,
                struct("v", 4, field("a", 0, INT)));
        AggregateShape s = struct("s", 16, virtual, field("own", 0, LONG));

        assertThat(((Resolved) ask(12, s)).root().contents())
                .extracting(ResolutionStep::kind)
                .containsExactly(ResolutionStep.Kind.COMPUTED);
        assertThat(leaves(ask(3, s))).containsExactly("x.own@0:8");
    }

    @Test
    void typeAnswersWhereNoVariableDoes() {
        AggregateShape s = struct("s", 8, field("a", 0, LONG));
        AggregateShape other = struct("t", 4, field("b", 0, INT));

        assertThat(leaves(ask("s+3", List.of(type(s))))).containsExactly("s.a@0:8");
        assertThat(leaves(ask("s+3", List.of(type(s)), variable("s", other)))).containsExactly("s.b@0:4");
        assertThat(leaves(ask("struct s+3", List.of(type(s)), variable("s", other))))
                .containsExactly("s.a@0:8");
    }

    @Test
    void definitionComesBeforeDeclarations() {
        AggregateShape s = struct("s", 8, field("a", 0, LONG));

        assertThat(leaves(ask("x+1", List.of(), declared("x", DECLARED), variable("x", s))))
                .containsExactly("x.a@0:8");
        assertThat(leaves(ask("x+1", List.of(), declared("x", DECLARED), declared("x", s))))
                .containsExactly("x.a@0:8");
        assertThat(leaves(ask("x+1", List.of(), declared("x", array(CHAR, -1L)), declared("x", array(CHAR, 4L)))))
                .containsExactly("x[1]@1:1");
        assertThat(ask("x+1", List.of(), declared("x", DECLARED)).status()).isEqualTo(Status.DECLARATION_ONLY);
    }

    @Test
    void variablesOfOneNameAreAmbiguousOnlyWhereTheyDiffer() {
        Variable one = variable("x", struct("s", 8, field("a", 0, INT), field("b", 4, INT)));
        Variable two = variable("x", struct("t", 8, field("a", 0, INT), field("c", 4, CHAR)));

        assertThat(leaves(ask("x+1", List.of(), one, two))).containsExactly("x.a@0:4");
        assertThat(((Resolved) ask("x+1", List.of(), one, two)).subjects())
                .containsExactly(new Subject.OfVariable(one), new Subject.OfVariable(two));
        assertThat(ask("x+4", List.of(), one, two))
                .isInstanceOfSatisfying(
                        OffsetAnswer.Ambiguous.class,
                        ambiguous -> assertThat(ambiguous.variants()).hasSize(2));
        assertThat(ask("x+7", List.of(), one, variable("x", INT)).status()).isEqualTo(Status.AMBIGUOUS);
    }

    @Test
    void variableOfAFunctionAnswersOnlyIfNothingElseDoes() {
        Variable local = new Variable("x", "x", null, "f", "a.c", C, false, null, null, array(CHAR, 9L));

        assertThat(leaves(ask("x+1", List.of(), local))).containsExactly("x[1]@1:1");
        assertThat(leaves(ask("x+1", List.of(), local, variable("x", INT)))).containsExactly("x@0:4");
    }

    @Test
    void cComesBeforeOtherLanguagesUnlessOneIsRequested() {
        Variable rust = new Variable("x", "lib::x", "_Rx", null, "lib.rs", RUST, false, null, null, LONG);
        TypeCatalogue build = new TypeCatalogue(List.of(), List.of(rust, variable("x", INT)));
        OffsetExpression expression = OffsetExpression.parse("x+2");

        assertThat(leaves(OffsetResolver.resolve(expression, build, null))).containsExactly("x@0:4");
        assertThat(leaves(OffsetResolver.resolve(expression, build, Language.Family.RUST)))
                .containsExactly("x@0:8");
        assertThat(leaves(OffsetResolver.resolve(OffsetExpression.parse("lib::x"), build, null)))
                .containsExactly("lib::x@0:8");
        assertThat(leaves(OffsetResolver.resolve(OffsetExpression.parse("_Rx"), build, null)))
                .containsExactly("_Rx@0:8");
    }

    @Test
    void suffixOfALocalSymbolIsTakenOff() {
        assertThat(leaves(ask("x.lto_priv.0+1", List.of(), variable("x", INT)))).containsExactly("x.lto_priv.0@0:4");
        assertThat(leaves(ask("x@@VERS_1.2+1", List.of(), variable("x", INT)))).containsExactly("x@@VERS_1.2@0:4");
        assertThat(ask("x.member+1", List.of(), variable("x", INT)).status()).isEqualTo(Status.NOT_FOUND);
    }

    @Test
    void unionsThatDoubleAtEachLevelEndInARefusal() {
        TypeShape shape = INT;
        for (int i = 0; i < 64; i++) {
            shape = union("u" + i, 4, field("a", 0, shape), field("b", 0, shape));
        }
        assertThat(ask(0, shape))
                .isInstanceOfSatisfying(
                        OffsetAnswer.Missed.class,
                        missed -> assertThat(missed.detail()).contains("more than 2000 steps"));
        assertThat(ask(5, shape).status()).isEqualTo(Status.PAST_END);
    }

    @Test
    void membersAtImpossiblePlacesFindNothing() {
        AggregateShape s = struct(
                "s",
                Long.MAX_VALUE,
                new Member(Member.Role.FIELD, "far", new MemberLocation.Fixed(Long.MAX_VALUE - 1), 64, 8, LONG),
                new Member(
                        Member.Role.FIELD,
                        "before",
                        new MemberLocation.Fixed(Long.MIN_VALUE),
                        Member.NOT_A_BIT_FIELD,
                        0,
                        LONG),
                field("huge", 0, new BaseShape("huge", Long.MAX_VALUE, BaseShape.Encoding.OTHER)));

        assertThat(leaves(ask(OffsetExpression.MAX_OFFSET - 1, s))).isNotEmpty();
    }

    @Test
    void jsonHasTheTree() {
        StringWriter text = new StringWriter();
        OffsetExpression expression = OffsetExpression.parse("x+5");
        AggregateShape s = struct("s", 8, field("c", 0, CHAR), field("i", 4, INT));
        try (JsonGenerator json = JsonMapper.shared().createGenerator(text)) {
            json.writeStartObject();
            ResolutionWriter.writeProperties(
                    json,
                    expression,
                    OffsetResolver.resolve(expression, new TypeCatalogue(List.of(), List.of(variable("x", s))), null));
            json.writeEndObject();
        }
        assertThat(text).hasToString("""
                        {"expression":"x+5","offset":5,"status":"found",\
                        "subjects":[{"kind":"variable","name":"x","type":"struct s","size":8,"address":"0x1000",\
                        "unit":"a.c","language":"C11"}],\
                        "root":{"step":"variable","name":"x","offset":0,"offsetInParent":0,"size":8,"type":"struct s",\
                        "contents":[{"step":"member","name":"i","offset":4,"offsetInParent":4,"size":4,"type":"int",\
                        "path":"x.i","byteInside":1}]}}""");
    }

    @Test
    void textShowsTheWayAndTheLeaf() {
        OffsetExpression expression = OffsetExpression.parse("x+5");
        AggregateShape s = struct("s", 8, field("c", 0, CHAR), field("i", 4, INT));
        OffsetAnswer answer =
                OffsetResolver.resolve(expression, new TypeCatalogue(List.of(), List.of(variable("x", s))), null);

        assertThat(ResolutionText.lines(expression, answer))
                .containsExactly(
                        "x+5: found",
                        "x: variable, struct s, 8 bytes, at 0x1000, a.c, C11",
                        "    offset   inside     size       bits  ",
                        "         0        0        8             x  struct s",
                        "         4        4        4               i  int",
                        "  = x.i, byte 1 of 4");
    }
}
