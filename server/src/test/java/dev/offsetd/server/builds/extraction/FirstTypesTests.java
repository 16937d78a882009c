package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.EarlyContent;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.compute.HeapShares;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.typesets.TypeSets;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** Types that a query waits for, read before all others. */
class FirstTypesTests {

    private static final RequestedNames POINT = new RequestedNames(Set.of("point"), Set.of());

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() throws Exception {
        file = Files.write(folder.resolve("small.debug"), SmallBuild.debugFile());
    }

    private static DebugFileReader reader(long heapBytes, String from, ComputePool threads) {
        return reader(new HeapShares(1, heapBytes), from, threads);
    }

    /** @param shares one of all of the heap */
    static DebugFileReader reader(HeapShares shares, String from, ComputePool threads) {
        ExtractionProperties properties = new Binder(new MapConfigurationPropertySource(Map.of(
                        "offsetd.extraction.max-parsing",
                        "1",
                        "offsetd.extraction.threads",
                        "1",
                        "offsetd.extraction.heap",
                        shares.bytes() + "B",
                        "offsetd.extraction.answer-unstored-from",
                        from)))
                .bindOrCreate("offsetd.extraction", ExtractionProperties.class);
        return new DebugFileReader(properties, mock(TypeSets.class), shares, threads);
    }

    static ComputePool threads(int most) {
        return new ComputePool("files", most, new PeriodicTasks(), new SimpleMeterRegistry());
    }

    private List<EarlyContent> taken(RequestedNames first, long heapBytes, String from) throws Exception {
        List<EarlyContent> taken = new ArrayList<>();
        reader(heapBytes, from, threads(2))
                .read(
                        file,
                        null,
                        new EarlyConsumer<>(EarlyContent.Wanted.of(first), types -> {
                            assertThat(types.types(first)).isPresent();
                            taken.add(types);
                        }),
                        DebugFileReader.Turn.within(Duration.ofSeconds(10)));
        return taken;
    }

    @Test
    void firstTypesAreTakenBeforeAll() throws Exception {
        assertThat(taken(POINT, 1 << 20, "0B"))
                .extracting(EarlyContent::areAllTypes)
                .containsExactly(false, true);
        assertThat(taken(RequestedNames.NONE, 1 << 20, "0B"))
                .extracting(EarlyContent::areAllTypes)
                .containsExactly(true);
        assertThat(taken(POINT, 1 << 20, "1MB")).isEmpty();
    }

    /** Only a file that is being read may be why a process has to end itself. */
    @Test
    @Timeout(60)
    void fileThatWaitsForAThreadIsNotBeingRead() throws Exception {
        ComputePool threads = threads(1);
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var _ = threads.submit(
                    () -> {
                        free.await();
                        return "";
                    },
                    Duration.ofMinutes(1));
            Future<?> read = callers.submit(() -> reader(1 << 20, "1MB", threads)
                    .read(
                            file,
                            null,
                            EarlyConsumer.none(),
                            new DebugFileReader.Turn(null, begun::countDown, () -> {})));
            assertThat(begun.await(300, TimeUnit.MILLISECONDS)).isFalse();
            free.countDown();
            read.get();
            assertThat(begun.getCount()).isZero();
        }
    }

    @Test
    @ChecklistRow(36)
    void linkOfAFileIsReadAsAPartOfTheReadingByAThreadThatComputes() throws Exception {
        CompletableFuture<Boolean> virtual = new CompletableFuture<>();
        DebugFileReader.Turn turn = new DebugFileReader.Turn(
                null, () -> virtual.complete(Thread.currentThread().isVirtual()), () -> {});
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(callers.submit(() -> reader(1 << 20, "1MB", threads(1)).supplementaryLink(file, turn))
                            .get())
                    .isEmpty();
        }
        assertThat(virtual.getNow(true)).isFalse();
    }

    @Test
    @Timeout(60)
    void linkIsReadWhileAnotherFileTakesAllOfTheHeap() throws Exception {
        HeapShares shares = new HeapShares(1, 1 << 20);
        CountDownLatch linkIsRead = new CountDownLatch(1);
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch taken = new CountDownLatch(1);
            Future<String> other = callers.submit(() -> shares.read(heap -> {
                taken.countDown();
                linkIsRead.await();
                return "";
            }));
            taken.await();
            assertThat(reader(shares, "1MB", threads(1))
                            .supplementaryLink(file, DebugFileReader.Turn.within(Duration.ZERO)))
                    .isEmpty();
            linkIsRead.countDown();
            assertThat(other.get()).isEmpty();
        }
    }

    @Test
    void faultOfTheReaderOfNamesLeavesOutTheNames() throws Exception {
        CachedFile executable = mock(CachedFile.class);
        when(executable.path()).thenReturn(file);
        DebugFileReader.Turn faulty = new DebugFileReader.Turn(
                null,
                () -> {
                    throw new IllegalStateException("a fault of the reader");
                },
                () -> {});
        assertThat(reader(1 << 20, "1MB", threads(1)).names(SmallBuild.ID, executable, faulty))
                .isEmpty();
    }

    @Test
    void typesThatTakeALargePartOfTheHeapAreNotTakenFirst() throws Exception {
        HeapBudget all = new HeapBudget(1 << 20);
        DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1).withBudget(all), DebugInfo::extractAll);

        assertThat(taken(POINT, 2 * all.keptBytes(), "0B"))
                .extracting(EarlyContent::areAllTypes)
                .containsExactly(true);
    }

    @Test
    void firstTypesLeaveTheBudgetToAllOthers() throws Exception {
        HeapBudget all = new HeapBudget(1 << 20);
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1).withBudget(all);
        DebugInfo.read(file, options, DebugInfo::symbolTables);
        DebugInfo.read(file, options, DebugInfo::extractAll);

        assertThat(taken(POINT, all.keptBytes(), "0B")).isNotEmpty();
    }
}
