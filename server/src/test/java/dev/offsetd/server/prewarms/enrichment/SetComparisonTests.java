package dev.offsetd.server.prewarms.enrichment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.query.diff.EnumeratorChange;
import dev.offsetd.query.diff.MemberChange;
import dev.offsetd.query.diff.MemberLayout;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.server.prewarms.enrichment.SetComparison.Differences;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Detail of the event for a build that differs much from the one before it. */
class SetComparisonTests {

    private static TypeDiff type(String name, int members, String typeOfEach) {
        List<MemberChange> changes = IntStream.range(0, members)
                .mapToObj(i -> new MemberChange(
                        "m" + i, new MemberLayout(64L * i, 8, Member.NOT_A_BIT_FIELD, typeOfEach, null), null))
                .toList();
        return new TypeDiff(
                name,
                TypeDiff.Status.CHANGED,
                new TypeDiff.TypeSide("struct", 8, null, null),
                new TypeDiff.TypeSide("struct", 16, null, null),
                changes,
                List.of(new EnumeratorChange("e", "1", "2")),
                null);
    }

    private static Map<String, Object> detail(List<TypeDiff> types) {
        return new Differences(types, Map.of(), List.of(), List.of()).detail();
    }

    private static long members(Map<String, Object> detail) {
        return ((JsonNode) Objects.requireNonNull(detail.get("types")))
                .valueStream()
                .mapToLong(type -> type.path("members").size())
                .sum();
    }

    @Test
    void changesOfAllTypesTogetherAreListedUpToALimitAndTheOthersAreCounted() {
        Map<String, Object> detail = detail(List.of(type("s", 60, "int"), type("t", 100_000, "int")));

        // With the enumerator of the first type.
        assertThat(members(detail)).isEqualTo(SetComparison.MAX_LISTED - 1);
        assertThat(detail).containsEntry("changes", 2).containsEntry("omittedChanges", 99_962L);
    }

    @Test
    void longNamesOfTypesShortenTheListOfChanges() {
        Map<String, Object> detail = detail(List.of(type("s", 50, "T".repeat(SetComparison.MAX_CHARACTERS / 4))));

        assertThat(members(detail)).isEqualTo(3);
        assertThat(detail).containsEntry("omittedChanges", 47L);
    }

    @Test
    void fewChangesAreAllListedAndNoneIsCountedAsOmitted() {
        Map<String, Object> detail = detail(Collections.nCopies(3, type("s", 5, "int")));

        assertThat(members(detail)).isEqualTo(15);
        assertThat(detail).doesNotContainKey("omittedChanges");
    }
}
