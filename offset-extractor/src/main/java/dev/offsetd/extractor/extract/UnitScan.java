package dev.offsetd.extractor.extract;

import dev.offsetd.extractor.dwarf.DefinitionMerge;
import dev.offsetd.extractor.dwarf.DefinitionScanner;
import dev.offsetd.extractor.dwarf.DwarfTypes;
import dev.offsetd.extractor.dwarf.Selection;
import dev.offsetd.extractor.dwarf.UnitDefinitions;
import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Scans units of a file side by side and merges what they hold in the order of the units, so that result and error
 * are the same whatever the number of threads. Used once.
 */
final class UnitScan {

    private final DwarfTypes dwarf;
    private final Selection selection;
    private final int[] units;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReferenceArray<UnitDefinitions> scanned;

    private int merged;
    private int failed = Integer.MAX_VALUE;
    private @Nullable ExtractionException failure;

    /** @param units indexes of the units to scan, ascending */
    UnitScan(DwarfTypes dwarf, Selection selection, int[] units) {
        this.dwarf = dwarf;
        this.selection = selection;
        this.units = units.clone();
        this.scanned = new AtomicReferenceArray<>(units.length);
    }

    /** Adds the definitions of the units. */
    void into(DefinitionMerge merge, int threads) throws IOException, ExtractionException {
        int workers = Math.min(threads, units.length);
        if (workers <= 1) {
            work(merge);
        } else {
            workTogether(merge, workers);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void workTogether(DefinitionMerge merge, int workers) throws IOException {
        List<Callable<@Nullable Void>> tasks = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            tasks.add(() -> {
                work(merge);
                return null;
            });
        }
        try (ExecutorService executor = Executors.newFixedThreadPool(
                workers, Thread.ofPlatform().daemon().name("units-", 0).factory())) {
            for (Future<@Nullable Void> done : executor.invokeAll(tasks)) {
                done.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while reading units").initCause(e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException unexpected -> throw unexpected;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    private void work(DefinitionMerge merge) {
        DefinitionScanner scanner = new DefinitionScanner(dwarf, selection);
        while (true) {
            int at = next.getAndIncrement();
            // Units are taken in order: once one has failed, all before it are done or in work.
            if (at >= units.length
                    || at > failedBefore()
                    || Thread.currentThread().isInterrupted()) {
                return;
            }
            try {
                dwarf.deadline().check(".debug_info");
                scanned.set(at, scanner.scan(units[at]));
                mergeReady(merge);
            } catch (ExtractionException e) {
                fail(at, e);
            }
        }
    }

    private synchronized int failedBefore() {
        return failed;
    }

    private synchronized void fail(int at, ExtractionException exception) {
        if (at < failed) {
            failed = at;
            failure = exception;
        }
    }

    private synchronized void mergeReady(DefinitionMerge merge) throws ExtractionException {
        while (merged < scanned.length()) {
            UnitDefinitions ready = scanned.get(merged);
            if (ready == null) {
                return;
            }
            merge.add(ready);
            scanned.set(merged++, null);
        }
    }
}
