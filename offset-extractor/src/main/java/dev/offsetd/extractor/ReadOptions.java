package dev.offsetd.extractor;

import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How files are read, and with which other files. Immutable and thread-safe. */
public final class ReadOptions {

    private final Values values;

    /**
     * Options that follow links to files beside the file only, and refuse files that are not complete.
     *
     * @param threads how many threads read the units of a file; the result does not depend on it
     */
    public ReadOptions(Limits limits, int threads) {
        this(new Values(limits, threads));
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + "; expected 1 or more");
        }
    }

    private ReadOptions(Values values) {
        this.values = values;
    }

    /**
     * Returns options to use this supplementary file (DWARF 5 §7.3.6) instead of looking for one. It must have the build-id
     * that the files to read name.
     */
    public ReadOptions withSupplementaryFile(Path file) {
        return with(copy -> copy.supplementary = file);
    }

    /**
     * Returns options to read the BTF of kernel modules on top of the BTF of this kernel ({@code vmlinux}). It must be the
     * very build that the modules were made for: BTF does not name it.
     */
    public ReadOptions withBaseBtf(Path kernel) {
        return with(copy -> copy.baseBtf = kernel);
    }

    /**
     * Returns options to follow links to split DWARF and supplementary files to any path, not only to the folder of the file
     * and the folders in it. For a user's own builds: a hostile file could open any other file.
     */
    public ReadOptions followingAnyPath() {
        return with(copy -> copy.paths = LinkedPaths.ANYWHERE);
    }

    /**
     * Returns options to look for supplementary files in these folders, too: in {@code .dwz/}, in {@code .build-id/}, and at
     * paths below {@code /usr/lib/debug} relative to the folder.
     */
    public ReadOptions withDebugFolders(List<Path> folders) {
        return with(copy -> copy.debugFolders = List.copyOf(folders));
    }

    /**
     * Returns options to leave out and report split units whose file is not found, instead of refusing the file. A file
     * without any other unit still has lines, and is refused as a source of types.
     */
    public ReadOptions leavingOutMissingUnits() {
        return with(copy -> copy.allowsMissingUnits = true);
    }

    /**
     * Returns options whose readings share this budget. Otherwise, each reading has {@link Limits#maxKeptBytes()}. Share a
     * budget among readings whose results are held together.
     */
    public ReadOptions withBudget(HeapBudget budget) {
        return with(copy -> copy.budget = budget);
    }

    /** Returns options to report the progress of readings of types from DWARF. */
    public ReadOptions withProgress(ReadProgress progress) {
        return with(copy -> copy.progress = progress);
    }

    /** Returns options to look for these, too, when the name of a build is read. */
    public ReadOptions withProbes(Probes probes) {
        return with(copy -> copy.probes = probes);
    }

    private ReadOptions with(Consumer<Values> change) {
        Values copy = new Values(values);
        change.accept(copy);
        return new ReadOptions(copy);
    }

    Limits limits() {
        return values.limits;
    }

    int threads() {
        return values.threads;
    }

    /** Returns the supplementary file, or null to look for it. */
    @Nullable
    Path supplementary() {
        return values.supplementary;
    }

    /** Returns the kernel on whose BTF that of a module is based, or null. */
    @Nullable
    Path baseBtf() {
        return values.baseBtf;
    }

    /** Returns where files that the file names are looked for. */
    LinkedPaths paths() {
        return values.paths;
    }

    List<Path> debugFolders() {
        return values.debugFolders;
    }

    boolean allowsMissingUnits() {
        return values.allowsMissingUnits;
    }

    Probes probes() {
        return values.probes;
    }

    ReadProgress progress() {
        return values.progress;
    }

    /** Returns the shared budget, or a new one for this reading. */
    HeapBudget heap() {
        return values.budget == null ? new HeapBudget(values.limits.maxKeptBytes()) : values.budget;
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

        Values(Values other) {
            this(other.limits, other.threads);
            supplementary = other.supplementary;
            baseBtf = other.baseBtf;
            paths = other.paths;
            debugFolders = other.debugFolders;
            allowsMissingUnits = other.allowsMissingUnits;
            probes = other.probes;
            budget = other.budget;
            progress = other.progress;
        }
    }
}
