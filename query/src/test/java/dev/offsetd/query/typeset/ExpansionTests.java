package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Coverage.MissingItem;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.item.Placement;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpansionTests {

    private static final TypeSet PY = set("py", """
            {"item": "t.a"},
            {"item": "t.b", "need": "optional"},
            {"group": "frame", "oneOf": [["t.f"], ["t.c", "c.f"], ["t.a", "t.g"]]},
            {"group": "version", "need": "optional", "oneOf": [["symbol v"]]}""");

    private static final TypeSetSource SETS = source(PY, set("other", "{\"item\": \"o\"}, {\"item\": \"t.a\"}"));

    @Test
    void itemsOfASetStandBehindItEachOnce() {
        assertThat(expand("x,@py,t.b,@other,y").items())
                .extracting(Item::text)
                .containsExactly("x", "@py", "t.a", "t.b", "t.f", "t.c", "c.f", "t.g", "symbol v", "@other", "o", "y");
    }

    @Test
    void answersStandInTheSameOrder() {
        assertThat(answer("x,@py", "").items())
                .extracting(answer -> answer.item().text())
                .containsExactly("x", "@py", "t.a", "t.b", "t.f", "t.c", "c.f", "t.g", "symbol v");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "t.a t.b t.f symbol-v   # 2 # 2",
                "t.a t.c c.f            # 2 # 0",
                "t.a t.g                # 2 # 0",
                "t.a t.c t.b            # 1 # 1",
                "t.f                    # 1 # 0",
                "c.f symbol-v           # 0 # 1"
            })
    void groupIsThereIfOneOfItsAlternativesIsThereAsAWhole(String found, int required, int optional) {
        Coverage coverage = coverage(answer("@py", found.replace("symbol-v", "symbol v")), "@py");

        assertThat(coverage.required()).isEqualTo(new Coverage.Share(required, 2));
        assertThat(coverage.optional()).isEqualTo(new Coverage.Share(optional, 2));
        assertThat(coverage.isComplete()).isEqualTo(required == 2);
    }

    @Test
    void whatIsMissingIsListedWithWhatItLacks() {
        Coverage coverage = coverage(answer("@py", "t.a t.c"), "@py");

        assertThat(coverage.missing())
                .containsExactly(
                        new Coverage.MissingEntry.MissingSingle(missing("t.b"), Need.OPTIONAL),
                        new Coverage.MissingEntry.MissingGroup(
                                "frame", Need.REQUIRED, List.of(missing("t.f"), missing("c.f"), missing("t.g"))),
                        new Coverage.MissingEntry.MissingGroup("version", Need.OPTIONAL, List.of(missing("symbol v"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "@py       # t.a t.f     # true",
                "@py       # t.a         # false",
                "@py,x     # t.a t.f     # false",
                "@py,x     # t.a t.f x   # true",
                "@py,t.b   # t.a t.f     # false",
                "t.b,@py   # t.a t.f     # false",
                "@py,@other # t.a t.f    # false",
                "@py,@other # t.a t.f o  # true",
                "x         # x           # true",
                "x         # y           # false"
            })
    void answerIsCompleteIfSetsHaveWhatTheyRequireAndItemsSentByThemselvesAreFound(
            String sent, String found, boolean complete) {
        assertThat(answer(sent, found).complete()).isEqualTo(complete);
    }

    @Test
    void unknownSetIsNamedWithThoseThatThereAre() {
        assertThatThrownBy(() -> expand("x,@nope"))
                .isInstanceOfSatisfying(UnknownTypeSetException.class, e -> {
                    assertThat(e.itemNumber()).isEqualTo(2);
                    assertThat(e.text()).isEqualTo("@nope");
                })
                .hasMessage("item 2 \"@nope\": no type set has this name; expected one of @other, @py");
    }

    @Test
    void setsAddLimitedNumbersOfItems() {
        TypeSetSource big = source(big("a"), big("b"), big("c"), big("d"));

        assertThat(Expansion.of(ItemParser.parseList(List.of("@a,@b,@c")), big).items())
                .hasSize(1_503);
        assertThatThrownBy(() -> Expansion.of(ItemParser.parseList(List.of("x,@a,@b,@c,@d")), big))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessage("item 5 \"@d\", character 1: expected fewer items: the limit is 2000 with those of the type"
                        + " sets");
    }

    @Test
    void itemsOfOneTypeShareItsMembers() {
        TypeCatalogue build = new TypeCatalogue(List.of(Types.define(wide(3))), List.of());
        List<ItemAnswer> answers = answers("s,struct s,\"s\"", build);

        List<Placement> first = fields(answers.getFirst()).get("m0");
        assertThat(answers)
                .hasSize(3)
                .allSatisfy(answer -> assertThat(fields(answer).get("m0")).isSameAs(first));
    }

    @Test
    void typesBehindTooManyMembersAreUnsupported() {
        int members = ListedMembers.MAX / 2;
        TypeCatalogue build = new TypeCatalogue(List.of(Types.define(wide(members))), List.of());
        List<ItemAnswer> answers = answers("s,s|a,s|b,s.m1,struct s|c", build);

        assertThat(answers)
                .extracting(ItemAnswer::status)
                .containsExactly(
                        ItemStatus.FOUND,
                        ItemStatus.FOUND,
                        ItemStatus.UNSUPPORTED,
                        ItemStatus.FOUND,
                        ItemStatus.UNSUPPORTED);
        assertThat(answers.get(2).outcome())
                .isEqualTo(new ItemOutcome.Missed(
                        ItemStatus.UNSUPPORTED,
                        "the types before it in the query have 200000 members and enumerators; expected fewer than"
                                + " 200000"));
    }

    private static List<ItemAnswer> answers(String items, TypeIndex build) {
        return expand(items).answer(build, () -> null, null).items();
    }

    private static Map<String, List<Placement>> fields(ItemAnswer answer) {
        return ((ItemOutcome.TypeFound) answer.outcome()).fields();
    }

    private static AggregateShape wide(int members) {
        return Types.struct(
                "s",
                4L * members,
                IntStream.range(0, members)
                        .mapToObj(i -> Types.field("m" + i, 4L * i, Types.INT))
                        .toArray(Member[]::new));
    }

    private static TypeSet big(String name) {
        return set(
                name,
                IntStream.range(0, 500)
                        .mapToObj(i -> "{\"item\": \"" + name + i + "\"}")
                        .collect(Collectors.joining(",")));
    }

    private static MissingItem missing(String item) {
        return new MissingItem(item, ItemStatus.TYPE_NOT_FOUND);
    }

    private static Coverage coverage(Expansion.Answers answers, String item) {
        ItemOutcome outcome = answers.items().stream()
                .filter(answer -> answer.item().text().equals(item))
                .findFirst()
                .orElseThrow()
                .outcome();
        return ((ItemOutcome.SetFound) outcome).coverage();
    }

    /** @param found the items that are found, with a space between two */
    private static Expansion.Answers answer(String sent, String found) {
        Set<String> there = Set.of(found.strip().split(" (?!v\\b)"));
        return expand(sent)
                .answer(item -> new ItemAnswer(
                        item,
                        null,
                        there.contains(item.text())
                                ? new ItemOutcome.SymbolsFound(List.of(), 0, null)
                                : new ItemOutcome.Missed(ItemStatus.TYPE_NOT_FOUND, null)));
    }

    private static Expansion expand(String items) {
        return Expansion.of(ItemParser.parseList(List.of(items)), SETS);
    }

    private static TypeSet set(String name, String entries) {
        String json = "{\"title\": \"t\", \"items\": [" + entries + "]}";
        return TypeSetParser.parseNew(name, json.getBytes(StandardCharsets.UTF_8));
    }

    private static TypeSetSource source(TypeSet... sets) {
        return new TypeSetSource() {

            @Override
            public Optional<TypeSet> find(String name) {
                return List.of(sets).stream()
                        .filter(set -> set.name().equals(name))
                        .findFirst();
            }

            @Override
            public Set<String> names() {
                return List.of(sets).stream().map(TypeSet::name).collect(Collectors.toUnmodifiableSet());
            }
        };
    }
}
