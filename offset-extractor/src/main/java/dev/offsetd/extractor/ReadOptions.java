package dev.offsetd.extractor;

import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Probes;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a file is read, and with which other files.
 *
 * @param supplementary the supplementary file, or null to look for it
 * @param baseBtf the kernel on whose BTF the BTF of a module is based, or null
 * @param paths where files that the file names are looked for
 * @param debugFolders folders with installed debug files, where supplementary files are looked for
 * @param allowsMissingUnits whether split units whose file is not found are left out
 * @param probes what is looked for to name a program
 * @param budget charged by several readings together, or null if each has its own
 * @param progress told of what the readings of types have done
 */
record ReadOptions(
        Limits limits,
        int threads,
        @Nullable Path supplementary,
        @Nullable Path baseBtf,
        LinkedPaths paths,
        List<Path> debugFolders,
        boolean allowsMissingUnits,
        Probes probes,
        @Nullable HeapBudget budget,
        ReadProgress progress) {

    ReadOptions(Limits limits, int threads) {
        this(new Values(limits, threads));
    }

    private ReadOptions(Values values) {
        this(
                values.limits,
                values.threads,
                values.supplementary,
                values.baseBtf,
                values.paths,
                values.debugFolders,
                values.allowsMissingUnits,
                values.probes,
                values.budget,
                values.progress);
    }

    ReadOptions withSupplementary(Path file) {
        return with(values -> values.supplementary = file);
    }

    ReadOptions withBaseBtf(Path file) {
        return with(values -> values.baseBtf = file);
    }

    ReadOptions withPaths(LinkedPaths other) {
        return with(values -> values.paths = other);
    }

    ReadOptions withDebugFolders(List<Path> folders) {
        return with(values -> values.debugFolders = List.copyOf(folders));
    }

    ReadOptions allowingMissingUnits() {
        return with(values -> values.allowsMissingUnits = true);
    }

    ReadOptions withProbes(Probes others) {
        return with(values -> values.probes = others);
    }

    ReadOptions withBudget(HeapBudget shared) {
        return with(values -> values.budget = shared);
    }

    ReadOptions withProgress(ReadProgress other) {
        return with(values -> values.progress = other);
    }

    private ReadOptions with(Consumer<Values> change) {
        Values values = new Values(this);
        change.accept(values);
        return new ReadOptions(values);
    }

    /** Returns the shared budget, or a new one for this reading. */
    HeapBudget heap() {
        return budget == null ? new HeapBudget(limits.maxKeptBytes()) : budget;
    }

    /** The options by name: their defaults, or a copy with one of them changed. */
    private static final class Values {

        final Limits limits;
        final int threads;

        @Nullable
        Path supplementary;

        @Nullable
        Path baseBtf;

        LinkedPaths paths = LinkedPaths.BESIDE;
        List<Path> debugFolders = List.of();
        boolean allowsMissingUnits;
        Probes probes = Probes.NONE;

        @Nullable
        HeapBudget budget;

        ReadProgress progress = ReadProgress.NONE;

        Values(Limits limits, int threads) {
            this.limits = limits;
            this.threads = threads;
        }

        Values(ReadOptions options) {
            this(options.limits, options.threads);
            supplementary = options.supplementary;
            baseBtf = options.baseBtf;
            paths = options.paths;
            debugFolders = options.debugFolders;
            allowsMissingUnits = options.allowsMissingUnits;
            probes = options.probes;
            budget = options.budget;
            progress = options.progress;
        }
    }
}
