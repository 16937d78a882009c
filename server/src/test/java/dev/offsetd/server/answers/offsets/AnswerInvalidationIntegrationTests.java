package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.operations.changes.Changes;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Representation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
class AnswerInvalidationIntegrationTests {

    private static final OffsetsQuery QUESTION = OffsetsQuery.of("types=point", List.of());

    /** Servers hear of changes twice a second by default; the rest is for a busy machine. */
    private static final Duration HEARD = Duration.ofMinutes(1);

    private TestServer a;
    private TestServer b;
    private AnswerCache answers;
    private String body = "";

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        TestDatabase database = TestDatabase.create();
        String debug = "offsetd.local-folders=" + folder.resolve("debug");
        // The one hears of changes only from this test, the other as always.
        a = TestServer.start(folder.resolve("a"), database, debug, "offsetd.offline=true", "offsetd.changes.poll=1h");
        b = TestServer.start(folder.resolve("b"), database, debug, "offsetd.offline=true");
        answers = a.bean(AnswerCache.class);
    }

    @AfterAll
    void stop() {
        a.close();
        b.close();
    }

    @BeforeEach
    void nothingKept() {
        body = a.offsets(SmallBuild.ID, "point").body();
        answers.anyMayHaveChanged();
        assertThat(kept()).isFalse();
    }

    private Build build() {
        return a.bean(Builds.class).find(SmallBuild.ID).orElseThrow();
    }

    private void give(AnswerCache.BuildEntry entry, Build build) {
        Answer answer = new Answer(
                Representation.JSON, SpooledBody.of(out -> out.write(body.getBytes(StandardCharsets.UTF_8))), true);
        AnswerCache.KnownBuild known =
                new AnswerCache.KnownBuild(build, Objects.requireNonNull(build.file()), BuildPins.NONE);
        answers.putEncoded(entry, known, QUESTION, ContentCoding.IDENTITY, answer);
    }

    private boolean kept() {
        return answers.find(SmallBuild.ID, QUESTION, ContentCoding.IDENTITY).isPresent();
    }

    /** Changes the build by the other server, without this one hearing of it. Returns its new generation. */
    private long change() {
        return change(b);
    }

    private long change(TestServer server) {
        new TransactionTemplate(server.bean(PlatformTransactionManager.class))
                .executeWithoutResult(_ -> server.bean(Changes.class).record(SmallBuild.ID));
        return build().generation();
    }

    @Test
    void answerIsKeptAndFound() {
        give(answers.entry(SmallBuild.ID), build());
        assertThat(kept()).isTrue();
    }

    @Test
    void answerFromBeforeAChangeIsNotFoundAfterIt() {
        give(answers.entry(SmallBuild.ID), build());
        answers.changed(Map.of(SmallBuild.ID, change()));
        assertThat(kept()).isFalse();
    }

    @Test
    void changeDuringAnAnswerInvalidatesIt() {
        AnswerCache.BuildEntry entry = answers.entry(SmallBuild.ID);
        Build old = build();
        answers.changed(Map.of(SmallBuild.ID, change()));
        give(entry, old);
        assertThat(kept()).isFalse();
    }

    @Test
    void unspecifiedChangeDuringAnAnswerInvalidatesIt() {
        AnswerCache.BuildEntry entry = answers.entry(SmallBuild.ID);
        Build old = build();
        answers.anyMayHaveChanged();
        give(entry, old);
        assertThat(kept()).isFalse();
    }

    @Test
    void answerOfTheChangedBuildSurvivesTheNotice() {
        AnswerCache.BuildEntry entry = answers.entry(SmallBuild.ID);
        long generation = change();
        give(entry, build());
        answers.changed(Map.of(SmallBuild.ID, generation));
        assertThat(kept()).isTrue();
    }

    @Test
    void slowAnswerDoesNotReplaceALaterOne() {
        AnswerCache.BuildEntry entry = answers.entry(SmallBuild.ID);
        Build old = build();
        change();
        give(answers.entry(SmallBuild.ID), build());
        give(entry, old);
        assertThat(answers.find(SmallBuild.ID, QUESTION, ContentCoding.IDENTITY))
                .isPresent();
        answers.changed(Map.of(SmallBuild.ID, build().generation()));
        assertThat(kept()).as("it is the later one").isTrue();
    }

    @Test
    void furtherQueriesReuseTheBuildUntilItChanges() {
        AnswerCache.BuildEntry entry = answers.entry(SmallBuild.ID);
        assertThat(answers.known(entry)).isEmpty();
        give(entry, build());
        assertThat(answers.known(entry)).isPresent();
        answers.changed(Map.of(SmallBuild.ID, change()));
        assertThat(answers.known(entry)).isEmpty();
    }

    @Test
    void changeOnThisServerCountsAtOnce() {
        AnswerCache.BuildEntry entry = answers.entry(SmallBuild.ID);
        give(entry, build());
        change(a);
        assertThat(kept()).isFalse();
        assertThat(answers.known(entry)).isEmpty();
    }

    @Test
    void changeOnOneServerReachesTheOther() throws Exception {
        AnswerCache others = b.bean(AnswerCache.class);
        assertThat(b.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        assertThat(others.find(SmallBuild.ID, QUESTION, ContentCoding.IDENTITY)).isPresent();
        change(a);
        long end = System.nanoTime() + HEARD.toNanos();
        while (others.find(SmallBuild.ID, QUESTION, ContentCoding.IDENTITY).isPresent()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
    }
}
