package dev.offsetd.query.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The deadline of a piece of work counts to its last byte. */
class DeadlineTests {

    private static final Deadline PASSED = new Deadline(Duration.ZERO);

    private static TypeCatalogue catalogue() {
        List<Definition> definitions = IntStream.range(0, 2_000)
                .mapToObj(i -> {
                    String name = "type_of_a_long_name_" + i;
                    return new Definition(
                            TypeKind.STRUCT,
                            name,
                            name,
                            null,
                            "unit.c",
                            new Language("C11", Language.Family.C),
                            ".debug_info",
                            i,
                            new IncompleteShape("struct " + name, IncompleteShape.Reason.DECLARED));
                })
                .toList();
        return new TypeCatalogue(definitions, List.of());
    }

    @Test
    void deadlineEndsTheWritingOfACatalogue() throws Exception {
        assertThat(new Deadline(Duration.ofHours(1)).during(() -> CatalogueWriter.encode(catalogue())))
                .isNotEmpty();
        assertThatThrownBy(() -> PASSED.during(() -> CatalogueWriter.encode(catalogue())))
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("longer than 0 s");
    }

    @Test
    void deadlineEndsTheReadingOfACatalogue() {
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(catalogue()));
        assertThatThrownBy(() -> PASSED.during(() -> {
                    stored.forEachDefinition(_ -> {});
                    return "";
                }))
                .isInstanceOf(DeadlineExceededException.class);
        assertThatThrownBy(() -> PASSED.during(stored::qualifiedNames)).isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void partOfWorkHasTheDeadlineOfTheWork() throws Exception {
        Deadline part = PASSED.during(() -> Deadline.currentOr(Limits.DEFAULT));
        assertThat(part).isSameAs(PASSED);
        assertThatThrownBy(() -> part.check(".debug_info"))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(Deadline.MAX_DURATION));
    }

    @Test
    void interruptedThreadDoesNotGoOn() {
        Deadline later = new Deadline(Duration.ofHours(1));
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> later.check(".debug_info")).isInstanceOf(CancellationException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void workWithoutADeadlineIsNotChecked() throws ExtractionException {
        Deadline.checkCurrent();
        Deadline.currentOr(Limits.DEFAULT).check(".debug_info");
    }
}
