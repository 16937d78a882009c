package dev.offsetd.server.admin.diff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.CostGrowth;
import dev.offsetd.server.admin.diff.Differences.Cell;
import dev.offsetd.server.admin.diff.Differences.MemberRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Order of the rows of a comparison. */
class DifferencesTests {

    private static MemberRow row(String name, @Nullable Long bitOffset) {
        return new MemberRow(name, "+", "added", "is-new", Cell.NOTHING, Cell.NOTHING, bitOffset);
    }

    private static List<String> inserted(List<MemberRow> rows, MemberRow... fresh) {
        List<MemberRow> all = new ArrayList<>(rows);
        Differences.insert(all, List.of(fresh));
        return all.stream().map(MemberRow::name).toList();
    }

    @Test
    void addedMembersFollowTheirOffsets() {
        List<MemberRow> rows = List.of(row("a", 0L), row("b", 64L), row("c", 128L));

        assertThat(inserted(rows, row("y", 96L), row("x", 32L), row("z", 96L)))
                .containsExactly("a", "x", "b", "y", "z", "c");
        assertThat(inserted(rows, row("end", 192L), row("computed", null)))
                .containsExactly("a", "b", "c", "end", "computed");
    }

    /** A removed member has no offset in the second build; those before it keep their places. */
    @Test
    void addedMembersStayBehindRemovedOnes() {
        assertThat(inserted(List.of(row("a", 0L), row("b", 64L), row("gone", null), row("c", 128L)), row("x", 32L)))
                .containsExactly("a", "b", "gone", "x", "c");
    }

    @Test
    void costGrowsWithMembersThatAreAddedBeforeAllOthers() throws IOException {
        CostGrowth.requireLinear("members that are added before others", 400, size -> {
            List<MemberRow> rows = rows("old", size, size);
            List<MemberRow> fresh = rows("new", 0, size);
            return new CostGrowth.Input(
                    2L * size, stages -> stages.measure("rows", () -> inserted(rows, fresh.toArray(MemberRow[]::new))));
        });
    }

    private static List<MemberRow> rows(String name, int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(i -> row(name + i, 32L * i))
                .toList();
    }
}
