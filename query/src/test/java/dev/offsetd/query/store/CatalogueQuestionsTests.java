package dev.offsetd.query.store;

import static org.assertj.core.api.Assertions.assertThat;

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
class CatalogueQuestionsTests {

    private static final StoredCatalogue SEED = StoredCatalogue.of(CatalogueParts.pack(seed()));

    private static byte[] seed() {
        try (InputStream in =
                CatalogueQuestionsTests.class.getResourceAsStream("CatalogueAnswersFuzzTestsInputs/fuzz/every-shape")) {
            return Objects.requireNonNull(in).readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theSeedIsTheSoundCatalogue() {
        assertThat(seed()).isEqualTo(CatalogueParts.unpack(CatalogueQuestions.soundBlob()));
    }

    @ParameterizedTest
    @FieldSource("dev.offsetd.query.store.CatalogueQuestions#ITEMS")
    void everyItemIsFound(String item) {
        assertThat(CatalogueQuestions.answer(item, SEED).status()).isEqualTo(ItemStatus.FOUND);
    }

    @ParameterizedTest
    @FieldSource("dev.offsetd.query.store.CatalogueQuestions#EXPRESSIONS")
    void everyExpressionIsFound(String expression) {
        assertThat(CatalogueQuestions.answer(OffsetExpression.parse(expression), SEED)
                        .status())
                .isEqualTo(OffsetAnswer.Status.FOUND);
    }

    @ParameterizedTest
    @FieldSource("dev.offsetd.query.store.CatalogueQuestions#ALL")
    void everyQuestionIsAnswered(CatalogueQuestions.Question question) {
        question.ask(SEED);
    }
}
