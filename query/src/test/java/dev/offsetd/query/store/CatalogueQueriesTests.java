package dev.offsetd.query.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.resolve.OffsetAnswer;
import dev.offsetd.query.resolve.OffsetExpression;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The queries of {@link CatalogueAnswersFuzzTests} succeed on a sound catalogue. */
class CatalogueQueriesTests {

    private static final StoredCatalogue SEED = StoredCatalogue.of(CatalogueParts.pack(seed()));

    private static byte[] seed() {
        return input("every-shape");
    }

    private static byte[] input(String name) {
        try (InputStream in =
                CatalogueQueriesTests.class.getResourceAsStream("CatalogueAnswersFuzzTestsInputs/fuzz/" + name)) {
            return Objects.requireNonNull(in).readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theSeedIsTheSoundCatalogue() {
        assertThat(seed()).isEqualTo(CatalogueParts.unpack(CatalogueQueries.soundBlob()));
    }

    @Test
    void catalogueOfAnEarlierExtractorIsRead() {
        StoredCatalogue earlier = StoredCatalogue.of(CatalogueParts.pack(input("extractor-version-5")));
        Definition now = CatalogueQueries.sound().definitionsNamed("point").getFirst();
        assertThat(earlier.definitionsNamed("point")).containsExactly(now);
    }

    @Test
    void everyShapeIsReadAsWritten() {
        for (Definition definition : CatalogueQueries.soundTypes().definitions()) {
            if (!definition.name().isEmpty()) {
                assertThat(SEED.definitionsNamed(definition.name())).contains(definition);
            }
        }
    }

    @ParameterizedTest
    @FieldSource("dev.offsetd.query.store.CatalogueQueries#ITEMS")
    void everyItemIsFound(String item) {
        assertThat(CatalogueQueries.answer(item, SEED).status()).isEqualTo(ItemStatus.FOUND);
    }

    @ParameterizedTest
    @FieldSource("dev.offsetd.query.store.CatalogueQueries#EXPRESSIONS")
    void everyExpressionIsFound(String expression) {
        assertThat(CatalogueQueries.answer(OffsetExpression.parse(expression), SEED)
                        .status())
                .isEqualTo(OffsetAnswer.Status.FOUND);
    }

    @ParameterizedTest
    @FieldSource("dev.offsetd.query.store.CatalogueQueries#ALL")
    void everyQueryIsAnswered(CatalogueQueries.Query query) {
        query.run(SEED);
    }
}
