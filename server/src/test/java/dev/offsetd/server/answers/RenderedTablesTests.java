package dev.offsetd.server.answers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.web.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RenderedTablesTests {

    private static final int SHARE = 8;

    private final RenderedTables<Integer, String> tables = RenderedTables.lasting();
    private final CountDownLatch rendered = new CountDownLatch(1);

    private static Caller at(String address) {
        return new Caller(Caller.ANONYMOUS, null, Set.of(), address);
    }

    private String render(int table) {
        try {
            rendered.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return "table " + table;
    }

    @Test
    @ChecklistRow(42)
    void clientThatWaitsForItsShareOfTablesIsRefusedMoreAndAnotherOneIsServed() throws Exception {
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> mine = IntStream.rangeClosed(0, SHARE)
                    .mapToObj(i -> clients.submit(() -> tables.get(i, at("10.0.0.1"), () -> render(i))))
                    .toList();
            while (mine.stream().noneMatch(Future::isDone)) {
                Thread.sleep(10);
            }
            Future<String> other = clients.submit(() -> tables.get(100, at("10.0.0.2"), () -> render(100)));
            rendered.countDown();

            assertThat(other.get()).isEqualTo("table 100");
            List<Future<String>> refused = new ArrayList<>();
            for (Future<String> each : mine) {
                try {
                    assertThat(each.get()).startsWith("table ");
                } catch (ExecutionException e) {
                    refused.add(each);
                }
            }
            assertThat(refused)
                    .singleElement()
                    .satisfies(each -> assertThat(each.exceptionNow())
                            .isInstanceOfSatisfying(ProblemException.class, e -> {
                                assertThat(e.problem().code()).isEqualTo("busy");
                                assertThat(e.problem().detail())
                                        .contains("its share of the places for tables: 8 of 16");
                            }));
        }
    }
}
