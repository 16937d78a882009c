package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.item.Item;
import dev.offsetd.server.answers.QueryParameters;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OffsetsQueryTests {

    private static OffsetsQuery json(String query) {
        return OffsetsQuery.of(query, List.of());
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
        assertThat(OffsetsQuery.of("types=a,b", List.of("application/cbor"))).isNotEqualTo(json("types=a,b"));
    }

    @Test
    void itemWithACommaIsNotTwoItems() {
        assertThat(OffsetsQuery.of(List.of("a,b"), QueryParameters.of(Map.of()), List.of()))
                .isNotEqualTo(json("types=a,b"));
        assertThat(OffsetsQuery.of(List.of("a", "b"), QueryParameters.of(Map.of()), List.of()))
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
                .containsExactlyElementsOf(QueryParameters.parse(json(query).items()).stream()
                        .map(Item::text)
                        .toList())
                .hasSize(5);
    }
}
