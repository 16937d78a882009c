package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.item.Item;
import dev.offsetd.server.web.Representation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryTextTests {

    private static QueryText json(String query) {
        return QueryText.ofQuery(query, offered -> Representation.JSON);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "types=a%2Cb",
                "types=a&types=b",
                "&types=%61,b&",
                "types=a,b&view=fields",
                "view=fields&types=a,b",
            })
    void spellingsOfAQueryAreEqual(String query) {
        assertThat(json(query)).isEqualTo(json("types=a,b")).hasSameHashCodeAs(json("types=a,b"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"types=a,b&lang=c", "types=a,b&view=flat", "types=b,a", "types=a,+b", "types=a", "types=\"a,b\""
            })
    void whateverTheAnswerDependsOnIs(String query) {
        assertThat(json(query)).isNotEqualTo(json("types=a,b"));
        assertThat(QueryText.ofQuery("types=a,b", offered -> Representation.CBOR))
                .isNotEqualTo(json("types=a,b"));
    }

    @Test
    void itemWithACommaIsNotTwoItems() {
        assertThat(QueryText.ofItems(List.of("a,b"), null, offered -> Representation.JSON))
                .isNotEqualTo(json("types=a,b"));
        assertThat(QueryText.ofItems(List.of("a", "b"), null, offered -> Representation.JSON))
                .isEqualTo(json("types=a,b"));
    }

    @Test
    void namesOfALanguageAreOneLanguage() {
        assertThat(json("types=a&lang=c%2B%2B")).isEqualTo(json("types=a&lang=cpp"));
    }

    @Test
    void itemsAreToldApartAsTheyAreWhenTheyAreRead() {
        String query = "types=map<a,b>,c,\"d,e\",x|y,h.i[3]";
        assertThat(json(query).items())
                .containsExactlyElementsOf(OffsetsQuery.ofQuery(query, offered -> Representation.JSON).items().stream()
                        .map(Item::text)
                        .toList())
                .hasSize(5);
    }
}
