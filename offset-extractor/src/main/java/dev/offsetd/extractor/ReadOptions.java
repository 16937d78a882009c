package dev.offsetd.extractor;

import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.VersionProbe;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a file is read, and with which other files.
 *
 * @param supplementary the supplementary file, or null to look for it
 * @param baseBtf the kernel on whose BTF the BTF of a module is based, or null
 * @param paths where files that the file names are looked for
 * @param debugFolders folders with installed debug files, where supplementary files are looked for
 * @param allowsMissingUnits whether split units whose file is not found are left out
 * @param probes where programs state their versions
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
        List<VersionProbe> probes,
        @Nullable HeapBudget budget,
        ReadProgress progress) {

    ReadOptions(Limits limits, int threads) {
        this(limits, threads, null, null, LinkedPaths.BESIDE, List.of(), false, List.of(), null, ReadProgress.NONE);
    }

    ReadOptions withSupplementary(Path file) {
        return new ReadOptions(
                limits, threads, file, baseBtf, paths, debugFolders, allowsMissingUnits, probes, budget, progress);
    }

    ReadOptions withBaseBtf(Path file) {
        return new ReadOptions(
                limits,
                threads,
                supplementary,
                file,
                paths,
                debugFolders,
                allowsMissingUnits,
                probes,
                budget,
                progress);
    }

    ReadOptions withPaths(LinkedPaths other) {
        return new ReadOptions(
                limits,
                threads,
                supplementary,
                baseBtf,
                other,
                debugFolders,
                allowsMissingUnits,
                probes,
                budget,
                progress);
    }

    ReadOptions withDebugFolders(List<Path> folders) {
        return new ReadOptions(
                limits,
                threads,
                supplementary,
                baseBtf,
                paths,
                List.copyOf(folders),
                allowsMissingUnits,
                probes,
                budget,
                progress);
    }

    ReadOptions allowingMissingUnits() {
        return new ReadOptions(
                limits, threads, supplementary, baseBtf, paths, debugFolders, true, probes, budget, progress);
    }

    ReadOptions withProbes(List<VersionProbe> others) {
        return new ReadOptions(
                limits,
                threads,
                supplementary,
                baseBtf,
                paths,
                debugFolders,
                allowsMissingUnits,
                List.copyOf(others),
                budget,
                progress);
    }

    ReadOptions withBudget(HeapBudget shared) {
        return new ReadOptions(
                limits,
                threads,
                supplementary,
                baseBtf,
                paths,
                debugFolders,
                allowsMissingUnits,
                probes,
                shared,
                progress);
    }

    ReadOptions withProgress(ReadProgress other) {
        return new ReadOptions(
                limits,
                threads,
                supplementary,
                baseBtf,
                paths,
                debugFolders,
                allowsMissingUnits,
                probes,
                budget,
                other);
    }

    /** Returns the shared budget, or a new one for this reading. */
    HeapBudget heap() {
        return budget == null ? new HeapBudget(limits.maxKeptBytes()) : budget;
    }
}
