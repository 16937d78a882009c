package dev.offsetd.server.pins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.testkit.SmallBuild;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pins of a build are compared with new types on threads that compute, before the transaction that stores the types. */
@Timeout(60)
class PinComparisonTests {

    private static final BuildId ID = SmallBuild.ID;

    /** The maximum of a bundle. */
    private static final int PINS = 1_000;

    private static final int MEMBERS = 20_000;

    private final PeriodicTasks tasks = new PeriodicTasks();
    private final List<PinRow> pins = new ArrayList<>();
    private final PinRows rows = mock(PinRows.class);
    private final Catalogues catalogues = mock(Catalogues.class);
    private final PinComparison comparison =
            new PinComparison(rows, catalogues, new ComputePool("files", 1, tasks, new SimpleMeterRegistry()));

    PinComparisonTests() {
        when(rows.allOf(any())).thenReturn(pins);
        when(catalogues.reading(any(), anyInt(), any()))
                .thenAnswer(call -> call.<Supplier<?>>getArgument(2).get());
    }

    @AfterEach
    void stop() {
        tasks.stop();
    }

    private static byte[] blob() {
        Member[] members = IntStream.range(0, MEMBERS)
                .mapToObj(i -> Types.field("m" + i, 4L * i, Types.INT))
                .toArray(Member[]::new);
        return CatalogueWriter.encode(
                new TypeCatalogue(List.of(Types.define(Types.struct("large", 4L * MEMBERS, members))), List.of()));
    }

    private static StoredCatalogue types() {
        return StoredCatalogue.of(blob());
    }

    private void pin(int member, long offset) {
        PinDraft draft =
                new PinDraft(ID, "large.m" + member, new PinnedValue.OfMember(offset, 4, null, null), "test", null);
        pins.add(new PinRow(UUID.randomUUID(), draft, "author", Instant.now()));
    }

    private List<Pin.Agreement> agreements() {
        return pins.stream().map(row -> row.pin().agreement()).toList();
    }

    @Test
    void pinsAreComparedOnThreadsThatCompute() throws Exception {
        pin(1, 4);
        pin(2, 4);
        pin(MEMBERS, 0);
        StoredCatalogue types = types();
        List<Boolean> virtual = new ArrayList<>();
        FutureTask<Runnable> storing = new FutureTask<>(() -> comparison.storing(ID, () -> {
            virtual.add(Thread.currentThread().isVirtual());
            return types;
        }));
        Thread.ofVirtual().start(storing);
        storing.get().run();
        assertThat(virtual).containsExactly(false);
        assertThat(agreements()).containsExactly(Pin.Agreement.AGREES, Pin.Agreement.DISAGREES, Pin.Agreement.UNKNOWN);
    }

    @Test
    void pinThatIsAddedMeanwhileIsCompared() {
        StoredCatalogue types = types();
        Runnable storing = comparison.storing(ID, () -> types);
        pin(1, 4);
        storing.run();
        assertThat(agreements()).containsExactly(Pin.Agreement.AGREES);
    }

    @Test
    void pinsShareTheLayoutOfTheirType() {
        IntStream.range(0, PINS).forEach(i -> pin(i, 4L * i));
        byte[] blob = blob();
        AtomicLong read = new AtomicLong();
        comparison
                .storing(
                        ID,
                        () -> new StoredCatalogue((offset, length) -> {
                            read.addAndGet(length);
                            return Arrays.copyOfRange(blob, (int) offset, (int) offset + length);
                        }))
                .run();
        assertThat(agreements()).containsOnly(Pin.Agreement.AGREES);
        assertThat(read.get()).isLessThan(10L * blob.length);
    }

    @Test
    void pinsThatCannotBeComparedKeepTheirAgreement() {
        pin(1, 4);
        comparison
                .storing(ID, () -> {
                    throw new IllegalStateException("test");
                })
                .run();
        assertThat(agreements()).containsExactly(Pin.Agreement.UNKNOWN);
    }
}
