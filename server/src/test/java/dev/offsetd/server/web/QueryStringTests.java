package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryStringTests {

    private static List<QueryString.Parameter> parse(String query) {
        return QueryString.parse(query, "types"::equals);
    }

    private static QueryString.Parameter parameter(String name, String value) {
        return new QueryString.Parameter(name, value);
    }

    @Test
    void parametersKeepTheirOrderAndMayRepeat() {
        assertThat(parse("types=a&lang=c&types=b"))
                .containsExactly(parameter("types", "a"), parameter("lang", "c"), parameter("types", "b"));
    }

    @Test
    void plusIsASpaceOnlyWhereItIsSaidToBe() {
        assertThat(parse("types=struct+list_head&lang=c++"))
                .containsExactly(parameter("types", "struct list_head"), parameter("lang", "c++"));
    }

    @Test
    void escapedPlusIsAPlus() {
        assertThat(parse("types=operator%2b")).containsExactly(parameter("types", "operator+"));
    }

    @ParameterizedTest
    @CsvSource({"_rtld_global+8, _rtld_global+8", "struct+point%2B4, struct point+4", "R+%2b+8, R + 8"})
    void plusBesideAnEscapedOneIsASpace(String sent, String value) {
        assertThat(parse("expr=" + sent)).containsExactly(parameter("expr", value));
    }

    @Test
    void escapesAreUtf8AndMayBeAnything() {
        assertThat(parse("types=%C3%BC%26%3d%2C")).containsExactly(parameter("types", "ü&=,"));
    }

    @Test
    void rawCharactersOfTypeNamesStay() {
        assertThat(parse("types=a|b<c[3]>{}^\"d\"")).containsExactly(parameter("types", "a|b<c[3]>{}^\"d\""));
    }

    @Test
    void secondEqualsSignIsPartOfTheValue() {
        assertThat(parse("types=operator==")).containsExactly(parameter("types", "operator=="));
    }

    @Test
    void nameAloneHasAnEmptyValue() {
        assertThat(parse("types")).containsExactly(parameter("types", ""));
        assertThat(parse("types=")).containsExactly(parameter("types", ""));
    }

    @Test
    void emptyParametersAreNone() {
        assertThat(parse("&&types=a&")).containsExactly(parameter("types", "a"));
        assertThat(parse("")).isEmpty();
        assertThat(QueryString.parse(null, "types"::equals)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"types=%, 7, %", "types=a%4, 8, %4", "types=%zz, 7, %zz", "ty%pes=a, 3, %pe", "types=%4&a=b, 7, %4"})
    void brokenEscapeNamesItsPlace(String query, int position, String escape) {
        assertThatThrownBy(() -> parse(query))
                .isInstanceOf(ProblemException.class)
                .hasMessage("bad_query: query string, character " + position + ": \"" + escape
                        + "\" is not an escape; expected % and two hex digits");
    }

    @Test
    void whatIsNotUtf8NamesItsPlace() {
        assertThatThrownBy(() -> parse("lang=c&types=%c3%28"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("characters 14 to 19");
    }

    @Test
    void unknownAndRepeatedParametersAreRefused() {
        assertThat(QueryString.parse("b=1&a=2&b=3", Set.of("a", "b"), Set.of("b"), _ -> false))
                .isEqualTo(Map.of("a", List.of("2"), "b", List.of("1", "3")));
        assertThat(QueryString.parse("b=1+2", Set.of("a", "b"), _ -> true)).isEqualTo(Map.of("b", "1 2"));
        assertThatThrownBy(() -> QueryString.parse("a=1&c=2", Set.of("b", "a"), _ -> false))
                .hasMessage("unknown_parameter: parameter \"c\"; expected a, b");
        assertThatThrownBy(() -> QueryString.parse("a=1&a=1", Set.of("a"), _ -> false))
                .hasMessage("repeated_parameter: parameter a is given twice; expected once");
    }
}
