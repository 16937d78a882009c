package dev.offsetd.server.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.changes.Changes;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.web.Form;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An answer is kept until its build changes, and never longer, however the change and the answer meet. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeptAnswersIntegrationTests {

    private static final Question QUESTION = Question.ofQuery("types=point", Form.JSON);

    /** Servers hear of changes twice a second by default. */
    private static final Duration HEARD = Duration.ofSeconds(5);

    private TestServer a;
    private TestServer b;
    private Answers answers;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        TestDatabase database = TestDatabase.create();
        String debug = "offsetd.local-folders=" + folder.resolve("debug");
        // The one hears of changes only from this test, the other as always.
        a = TestServer.start(folder.resolve("a"), database, debug, "offsetd.offline=true", "offsetd.changes.poll=1h");
        b = TestServer.start(folder.resolve("b"), database, debug, "offsetd.offline=true");
        answers = a.bean(Answers.class);
    }

    @AfterAll
    void stop() {
        a.close();
        b.close();
    }

    @BeforeEach
    void nothingKept() {
        assertThat(a.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        answers.anyMayHaveChanged();
        assertThat(kept()).isFalse();
    }

    private Build build() {
        return a.bean(Builds.class).find(SmallBuild.ID).orElseThrow();
    }

    private void give(Answers.Shelf shelf, Build build) {
        answers.give(shelf, build, build.file().orElseThrow(), QUESTION);
    }

    private boolean kept() {
        return answers.find(SmallBuild.ID, QUESTION).isPresent();
    }

    /** Changes the build without this server hearing of it; the generation that it has now. */
    private long change() {
        new TransactionTemplate(a.bean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> a.bean(Changes.class).record(SmallBuild.ID));
        return build().generation();
    }

    @Test
    void answerIsKeptAndFound() {
        give(answers.shelf(SmallBuild.ID), build());
        assertThat(kept()).isTrue();
    }

    @Test
    void answerFromBeforeAChangeIsNotFoundAfterIt() {
        give(answers.shelf(SmallBuild.ID), build());
        answers.changed(Map.of(SmallBuild.ID, change()));
        assertThat(kept()).isFalse();
    }

    @Test
    void changeThatIsHeardOfWhileTheAnswerIsMadeCounts() {
        Answers.Shelf shelf = answers.shelf(SmallBuild.ID);
        Build old = build();
        answers.changed(Map.of(SmallBuild.ID, change()));
        give(shelf, old);
        assertThat(kept()).isFalse();
    }

    @Test
    void anyChangeThatIsHeardOfWhileTheAnswerIsMadeCounts() {
        Answers.Shelf shelf = answers.shelf(SmallBuild.ID);
        Build old = build();
        answers.anyMayHaveChanged();
        give(shelf, old);
        assertThat(kept()).isFalse();
    }

    @Test
    void answerThatAlreadyFollowsFromTheChangeIsKeptWhenItIsHeardOf() {
        Answers.Shelf shelf = answers.shelf(SmallBuild.ID);
        long generation = change();
        give(shelf, build());
        answers.changed(Map.of(SmallBuild.ID, generation));
        assertThat(kept()).isTrue();
    }

    @Test
    void slowAnswerDoesNotReplaceALaterOne() {
        Answers.Shelf shelf = answers.shelf(SmallBuild.ID);
        Build old = build();
        change();
        give(answers.shelf(SmallBuild.ID), build());
        give(shelf, old);
        assertThat(answers.find(SmallBuild.ID, QUESTION)).isPresent();
        answers.changed(Map.of(SmallBuild.ID, build().generation()));
        assertThat(kept()).as("it is the later one").isTrue();
    }

    @Test
    void changeOnOneServerIsHeardOfOnTheOther() throws Exception {
        Answers others = b.bean(Answers.class);
        assertThat(b.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        assertThat(others.find(SmallBuild.ID, QUESTION)).isPresent();
        change();
        long end = System.nanoTime() + HEARD.toNanos();
        while (others.find(SmallBuild.ID, QUESTION).isPresent()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
    }
}
