package dev.offsetd.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.admin.JsonChanges.JsonChange;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Differences between two JSON texts. */
class JsonChangesTests {

    private static List<JsonChange> between(@Nullable String before, @Nullable String after) {
        return JsonChanges.between(JsonMapper.shared(), before, after).first();
    }

    @Test
    void onlyDifferingMembersAreListed() {
        List<JsonChange> changes =
                between("{\"a\": 1, \"b\": \"x\", \"c\": true}", "{\"a\": 2, \"b\": \"x\", \"d\": null}");
        assertThat(changes)
                .containsExactly(
                        new JsonChange("a", "1", "2"),
                        new JsonChange("c", "true", null),
                        new JsonChange("d", null, "null"));
        assertThat(changes).extracting(JsonChange::sign).containsExactly("≠", "−", "+");
        assertThat(changes).extracting(JsonChange::word).containsExactly("changed", "removed", "added");
    }

    @Test
    void membersOfObjectsAndArraysHavePaths() {
        assertThat(between("{\"v\": {\"m\": [1, {\"n\": 2}]}}", "{\"v\": {\"m\": [1, {\"n\": 3}, 4]}}"))
                .containsExactly(new JsonChange("v.m[1].n", "2", "3"), new JsonChange("v.m[2]", null, "4"));
    }

    @Test
    void allMembersOfAnAddedOrRemovedSubjectAreListed() {
        assertThat(between(null, "{\"a\": 1, \"b\": []}"))
                .containsExactly(new JsonChange("a", null, "1"), new JsonChange("b", null, "[]"));
        assertThat(between("{\"a\": 1}", null)).containsExactly(new JsonChange("a", "1", null));
        assertThat(between(null, null)).isEmpty();
    }

    @Test
    void orderOfMembersIsIgnored() {
        assertThat(between("{\"a\": 1, \"b\": 2}", "{\"b\": 2, \"a\": 1}")).isEmpty();
    }

    @Test
    void listIsLimited() {
        String many = IntStream.range(0, 1000).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
        JsonChanges.ChangeList changes = JsonChanges.between(JsonMapper.shared(), null, many);
        assertThat(changes.first()).hasSize(JsonChanges.MOST);
        assertThat(changes.total()).isEqualTo(1000);
    }
}
