package dev.offsetd.query.item;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.query.item.Alternative.PathStep;
import dev.offsetd.query.item.Alternative.TypeAndSteps;
import dev.offsetd.query.item.Alternative.TypePath;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemParserTests {

    @Test
    void typeNameAloneIsThePathWithoutSteps() {
        Item item = ItemParser.parse("rb_control_frame_struct");

        assertThat(item.text()).isEqualTo("rb_control_frame_struct");
        assertThat(item.alternatives()).containsExactly(path(null, List.of("rb_control_frame_struct"), List.of()));
    }

    @Test
    void dottedPathHasEveryPrefixAsTypeNameLongestFirst() {
        TypePath path =
                (TypePath) ItemParser.parse("runtime.g.m[3].id").alternatives().getFirst();

        assertThat(path.splits())
                .containsExactly(
                        new TypeAndSteps(
                                "runtime.g.m", List.of(new PathStep.IndexStep(3), new PathStep.MemberStep("id"))),
                        new TypeAndSteps(
                                "runtime.g",
                                List.of(
                                        new PathStep.MemberStep("m"),
                                        new PathStep.IndexStep(3),
                                        new PathStep.MemberStep("id"))),
                        new TypeAndSteps(
                                "runtime",
                                List.of(
                                        new PathStep.MemberStep("g"),
                                        new PathStep.MemberStep("m"),
                                        new PathStep.IndexStep(3),
                                        new PathStep.MemberStep("id"))));
    }

    @Test
    void namesToLookForAreThoseWithAndWithoutScopes() {
        Item item = ItemParser.parse("runtime.g.m|ns::Map<int, a::B>.x|enumerator ns::Color::RED|symbol foo*");

        assertThat(item.typeNames())
                .containsExactly(
                        "runtime.g.m",
                        "m",
                        "runtime.g",
                        "g",
                        "runtime",
                        "Map<int,a::B>.x",
                        "ns::Map<int,a::B>.x",
                        "x",
                        "ns",
                        "Map<int,a::B>",
                        "ns::Map<int,a::B>");
        assertThat(item.enumeratorNames()).containsExactly("RED");
    }

    @Test
    void quotedNameIsOneName() {
        assertThat(ItemParser.parse("\"runtime.g\".m").alternatives())
                .containsExactly(new TypePath(
                        "\"runtime.g\".m",
                        null,
                        false,
                        true,
                        List.of("runtime.g"),
                        List.of(new PathStep.MemberStep("m"))));
        assertThat(ItemParser.parse("\"tls\"").alternatives())
                .containsExactly(new TypePath("\"tls\"", null, false, true, List.of("tls"), List.of()));
        assertThat(ItemParser.parse("enumerator \"odd name\"").alternatives())
                .containsExactly(new Alternative.EnumeratorName("enumerator \"odd name\"", "odd name"));
    }

    @Test
    void pointersAreStepsOutsideNamesOfOperators() {
        assertThat(ItemParser.parse("variable a.b->\"c d\"[1] -> e|f->g").alternatives())
                .containsExactly(
                        new TypePath(
                                "variable a.b->\"c d\"[1] -> e",
                                null,
                                true,
                                false,
                                List.of("a", "b"),
                                List.of(
                                        new PathStep.PointerStep(),
                                        new PathStep.MemberStep("c d"),
                                        new PathStep.IndexStep(1),
                                        new PathStep.PointerStep(),
                                        new PathStep.MemberStep("e"))),
                        path(
                                null,
                                List.of("f"),
                                List.of(new PathStep.PointerStep(), new PathStep.MemberStep("g")),
                                "f->g"));
        for (String name : List.of("ns::T::operator->", "ns::T::operator->*", "F<&A::operator->>", "ns::operator-")) {
            assertThat(ItemParser.parse(name).alternatives()).containsExactly(path(null, List.of(name), List.of()));
        }
        assertThat(ItemParser.parse("\"a->*b\"->c").alternatives())
                .containsExactly(new TypePath(
                        "\"a->*b\"->c",
                        null,
                        false,
                        true,
                        List.of("a->*b"),
                        List.of(new PathStep.PointerStep(), new PathStep.MemberStep("c"))));
    }

    @Test
    void quotedNameMayHaveCommasBarsAndBrackets() {
        assertThat(ItemParser.parseList(List.of("\"a,b|[c\",d")))
                .extracting(Item::text)
                .containsExactly("\"a,b|[c\"", "d");
    }

    @ParameterizedTest
    @CsvSource({"struct,STRUCT", "union,UNION", "class,CLASS", "enum,ENUM", "typedef,TYPEDEF"})
    void kindWordAsksForThatKind(String word, TypeKind kind) {
        assertThat(ItemParser.parse(word + "  foo.x").alternatives())
                .containsExactly(new TypePath(word + "  foo.x", kind, false, false, List.of("foo", "x"), List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"structure", "unsigned int", "symbol", "enumerator", "tls.x", "struct_x", "operator"})
    void wordsThatOnlyLookLikeKeywordsAreNames(String name) {
        assertThat(ItemParser.parse(name).alternatives().getFirst())
                .isInstanceOfSatisfying(
                        TypePath.class, path -> assertThat(path.kind()).isNull());
    }

    @Test
    void keywordsAskForOtherThingsThanTypes() {
        assertThat(ItemParser.parse("tls| symbol _U*x86_64_step |enumerator tLAST_OP_ID")
                        .alternatives())
                .containsExactly(
                        new Alternative.ThreadLocalStorage("tls"),
                        new Alternative.SymbolGlob("symbol _U*x86_64_step", "_U*x86_64_step"),
                        new Alternative.EnumeratorName("enumerator tLAST_OP_ID", "tLAST_OP_ID"));
    }

    @Test
    void setIsAWholeItem() {
        Item item = ItemParser.parse(" @ruby ");
        assertThat(item.alternatives()).containsExactly(new Alternative.TypeSetName("@ruby", "ruby"));
        assertThat(item.setName()).contains("ruby");
        assertThat(ItemParser.parse("ruby").setName()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"@ruby|rb_x, 1", "rb_x|@ruby, 6"})
    void setHasNoAlternatives(String text, int position) {
        assertThatThrownBy(() -> ItemParser.parse(text)).isInstanceOfSatisfying(ItemSyntaxException.class, e -> {
            assertThat(e.position()).isEqualTo(position);
            assertThat(e.expected()).isEqualTo("a type or member path: a type set cannot be an alternative");
        });
    }

    @Test
    void symbolMayBeInQuotes() {
        assertThat(ItemParser.parse("symbol \"main.Map[int,string]\"").alternatives())
                .containsExactly(new Alternative.SymbolGlob("symbol \"main.Map[int,string]\"", "main.Map[int,string]"));
    }

    @Test
    void overlongSymbolPatternIsInvalid() {
        String name = "x".repeat(1_024);
        assertThat(ItemParser.parse("symbol " + name + "y").alternatives()).hasSize(1);
        assertThatThrownBy(() -> ItemParser.parse("symbol " + name + "*"))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessageEndingWith("character 8: expected the name of a symbol, or a pattern for it: pattern of 1025"
                        + " characters; expected 1024 or fewer");
    }

    @Test
    void textOfAnItemIsKeptAsSent() {
        assertThat(ItemParser.parseList(List.of("a, b ", "c")))
                .extracting(Item::text)
                .containsExactly("a", " b ", "c");
    }

    @Test
    void itemSentTwiceIsOne() {
        assertThat(ItemParser.parseList(List.of("a,b,a", "b")))
                .extracting(Item::text)
                .containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "std::map<int, std::pair<a|b, c>>",
                "f(int, char)::Local",
                "A<(b<c,d)>",
                "A<(b->c), d>",
                "A<','>",
                "A<'\\x2c', '<'>",
                "A<&B::operator<>",
                "A<&B::operator,>",
                "A<&operator<=>, &operator->, &operator<< >",
                "B::operator|(B,B)::Local",
                "B::operator()(int)::Local",
                "B::operator->()::Local",
                "{closure_env#0}<a, b>",
                "(anonymous namespace)::Foo",
                "A<\"x,>\">"
            })
    void bracketsAndQuotesKeepTheirContentsTogether(String item) {
        assertThat(ItemParser.parseList(List.of("x," + item + ",y")))
                .extracting(Item::text)
                .containsExactly("x", item, "y");
        assertThat(ItemParser.parse(item).alternatives()).hasSize(1);
    }

    @Test
    void dotsInTemplateArgumentsDoNotSeparateSteps() {
        assertThat(ItemParser.parse("A<1.5>.x").alternatives())
                .containsExactly(path(null, List.of("A<1.5>", "x"), List.of(), "A<1.5>.x"));
    }

    @Test
    void dashInAGoPackageIsPartOfTheName() {
        assertThat(((TypePath) ItemParser.parse("example.com/a-b.T.x")
                                .alternatives()
                                .getFirst())
                        .parts())
                .containsExactly("example", "com/a-b", "T", "x");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "~~;                 1; an item",
                "~   ~;              1; an item",
                "a|;                 3; an alternative",
                "|a;                 1; an alternative",
                "a||b;               3; an alternative",
                "a.;                 3; the name of a member",
                "a..b;               3; the name of a member, or quotes around a name with \"..\"",
                "a[1].;              6; the name of a member",
                ".a;                 1; a name",
                "a::;                4; a name",
                "a.b::;              6; a name",
                "[3];                1; a name",
                "~\"\"~;             2; a name",
                "a[x;                2; a partner for \"[\"",
                "a[-];               4; an array index",
                "a[];                3; an array index",
                "a[1;                2; a partner for \"[\"",
                "a[1 ];              4; an array index",
                "a[1]b;              5; \".\", \"->\", \"[\" or the end of the path",
                "a[99999999999999999999]; 3; an array index: the limits are -9223372036854775808 and"
                        + " 9223372036854775807",
                "a<b;                2; a partner for \"<\"",
                "a(b]c;              4; an opening bracket before \"]\"",
                "a>b;                2; an opening bracket before \">\"",
                "a);                 2; an opening bracket before \")\"",
                "a<b)>;              4; an opening bracket before \")\"",
                "~\"a~;              1; a closing quote",
                "a\"b\";             2; a quote only where a name starts",
                "\"a\"b;             4; \".\", \"->\", \"[\" or the end of the path",
                "iseq->;             7; the name of a member",
                "iseq->[1];          7; the name of a member",
                "iseq-;              5; a shell takes \">\" for a redirection, so quote the whole item",
                "a.iseq-;            7; a shell takes \">\" for a redirection",
                "@;                  2; the name of a type set",
                "@ru by;             4; letters, digits",
                "struct;             7; a name after \"struct\"",
                "~enum ~;            5; a name after \"enum\"",
                "~enumerator ~;     11; the name of an enumerator",
                "~symbol ~;          7; the name of a symbol",
                "enumerator \"a\"b; 15; the end of the item",
                "enumerator a::;    15; a name"
            })
    void whatCannotBeReadIsNamedWithItsPlace(String item, int position, String expected) {
        ItemSyntaxException e =
                catchThrowableOfType(ItemSyntaxException.class, () -> ItemParser.parseEach(List.of("ok", item)));

        assertThat(e).isNotNull();
        assertThat(e.itemNumber()).isEqualTo(2);
        assertThat(e.position()).isEqualTo(position);
        assertThat(e.text()).isEqualTo(item);
        assertThat(e.expected()).contains(expected);
    }

    @Test
    void messageNamesItemPlaceAndExpectation() {
        assertThatThrownBy(() -> ItemParser.parseList(List.of("a,b", "c,d..e")))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessage("item 4 \"d..e\", character 3: expected the name of a member, or quotes around a name"
                        + " with \"..\"");
    }

    @Test
    void positionCountsCharactersNotUtf16Units() {
        assertThatThrownBy(() -> ItemParser.parse("\uD83D\uDE00."))
                .isInstanceOfSatisfying(
                        ItemSyntaxException.class, e -> assertThat(e.position()).isEqualTo(3));
    }

    @Test
    void controlCharactersAreRefusedWithTheirPlace() {
        for (char c : new char[] {0, 0x1b, 0x7f, 0x85, 0x9f}) {
            assertThatThrownBy(() -> ItemParser.parse("\uD83D\uDE00" + c))
                    .isInstanceOfSatisfying(
                            ItemSyntaxException.class,
                            e -> assertThat(e.position()).isEqualTo(2))
                    .hasMessageContaining("expected no control character");
        }
        assertThat(ItemParser.parse("a\t|\r\nb").alternatives()).hasSize(2);
    }

    @Test
    void unpairedSurrogateIsInvalid() {
        assertThatThrownBy(() -> ItemParser.parse("a\uD83Db"))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessageContaining("character 2")
                .hasMessageContaining("surrogate");
    }

    @Test
    void emptyListIsRefused() {
        assertThatThrownBy(() -> ItemParser.parseList(List.of()))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessageContaining("at least one item");
        assertThatThrownBy(() -> ItemParser.parseList(List.of("")))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessageContaining("item 1");
        assertThatThrownBy(() -> ItemParser.parseList(List.of("a,")))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessageContaining("item 2");
    }

    @Test
    void listMayHave500Items() {
        List<String> most = Collections.nCopies(10, String.join(",", Collections.nCopies(50, "a")));

        assertThat(ItemParser.parseList(most)).hasSize(1);
        assertThatThrownBy(() -> ItemParser.parseList(List.of(String.join(",", most), "b")))
                .isInstanceOf(ItemSyntaxException.class)
                .hasMessage("item 501 \"b\", character 1: expected the end of the list: the limit is 500 items");
    }

    @Test
    void itemMayHave4096Characters() {
        String most = "a".repeat(4096);

        assertThat(ItemParser.parseList(List.of("x," + most + ",y"))).hasSize(3);
        assertThat(ItemParser.parse(most).text()).isEqualTo(most);
        for (String list : List.of(most + "a", most + "a,b", most + "a".repeat(100_000))) {
            assertThatThrownBy(() -> ItemParser.parseList(List.of(list)))
                    .isInstanceOf(ItemSyntaxException.class)
                    .hasMessageContaining("character 4097")
                    .hasMessageContaining("the limit is 4096 characters");
        }
        assertThatThrownBy(() -> ItemParser.parse(most + "a")).isInstanceOf(ItemSyntaxException.class);
    }

    @Test
    void pathMayHave64Steps() {
        assertThat(ItemParser.parse("a" + ".b".repeat(32) + "[1]".repeat(32)).alternatives())
                .hasSize(1);
        for (String path : List.of("a" + ".b".repeat(65), "a" + "[1]".repeat(65), "\"a\"" + ".b".repeat(65))) {
            assertThatThrownBy(() -> ItemParser.parse(path))
                    .isInstanceOf(ItemSyntaxException.class)
                    .hasMessageContaining("the limit is 64 steps");
        }
    }

    @Test
    void largestIndexIsRead() {
        assertThat(((TypePath) ItemParser.parse("a[9223372036854775807]")
                                .alternatives()
                                .getFirst())
                        .steps())
                .containsExactly(new PathStep.IndexStep(Long.MAX_VALUE));
    }

    @Test
    void anyTextIsAnItemOrASyntaxError() {
        Random random = new Random(20261120);
        String[] tokens = {
            "a",
            "foo",
            ".",
            ",",
            "|",
            "<",
            ">",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "\"",
            "'",
            "\\",
            " ",
            "::",
            "operator",
            "struct ",
            "enumerator ",
            "symbol ",
            "tls",
            "@",
            "->",
            "[1]",
            "7",
            "-",
            "\uD83D",
            "\uDE00",
            "\u0000",
            "\n"
        };
        int parsed = 0;
        for (int i = 0; i < 10_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(12); n >= 0; n--) {
                text.append(tokens[random.nextInt(tokens.length)]);
            }
            try {
                for (Item item : ItemParser.parseList(List.of(text.toString()))) {
                    assertThat(text.toString()).contains(item.text());
                    assertThat(item.typeNames()).doesNotContain("");
                    parsed++;
                }
            } catch (ItemSyntaxException e) {
                assertThat(e.position()).isBetween(1, e.text().length() + 1);
                assertThat(text.toString()).contains(e.text());
            }
        }
        assertThat(parsed).isGreaterThan(100);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"<", "(", "(<", "<a,", "'", "'\\", "a|", "a.", "a[1]", "operator", "::operator<", "-", "|", ","})
    void longTextOfOneSortIsAnItemOrASyntaxError(String token) {
        String text = token.repeat(1_000_000 / token.length());

        assertThatThrownBy(() -> ItemParser.parseList(List.of(text))).isInstanceOf(ItemSyntaxException.class);
    }

    private static TypePath path(@Nullable TypeKind kind, List<String> parts, List<PathStep> steps) {
        return path(kind, parts, steps, String.join(".", parts));
    }

    private static TypePath path(@Nullable TypeKind kind, List<String> parts, List<PathStep> steps, String text) {
        return new TypePath(text, kind, false, false, parts, steps);
    }

    @ParameterizedTest
    @ValueSource(strings = {"list_head", "v8::internal::Isolate", "tls", "map[string]int", "f<a, b>", "runtime.g"})
    void itemOfATypeIsWhatItsTextReadsAs(String name) {
        Item item = Item.ofType(name);
        assertThat(ItemParser.parse(item.text()).typeNames()).isEqualTo(item.typeNames());
        assertThat(item.typeNames()).contains(TypeNames.normalize(name));
    }

    /** Names of C++ templates come to more characters than anybody may send. */
    @Test
    void itemOfATypeCanHaveAnyName() {
        String name = "s<\"" + "x".repeat(ItemParser.MAX_ITEM_CHARS) + "\">";
        assertThat(Item.ofType(name).typeNames()).containsExactly(name);
    }
}
