package dev.offsetd.server.builds.identity;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.compute.HeapShares;
import dev.offsetd.server.typesets.TypeSets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** Reads what executables state of their names, with the probes of all type sets. */
@Component
public class ExecutableNames {

    /** Sections of which a program has at least one, with contents. */
    private static final Set<String> SECTIONS = Set.of(".dynamic", ".rodata");

    private final TypeSets typeSets;
    private final HeapShares shares;
    private final ComputePool threads;
    private final ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);

    ExecutableNames(TypeSets typeSets, HeapShares shares, @Qualifier(ComputePool.FILES) ComputePool threads) {
        this.typeSets = typeSets;
        this.shares = shares;
        this.threads = threads;
    }

    /** Names and facts that an executable states. */
    public record Statements(Identity names, ExecutableFacts facts) {}

    /**
     * Reads what a file states.
     *
     * @param begun called when the reading begins
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed, unsupported or exceeds a limit
     */
    public Statements in(Path file, Runnable begun) throws IOException, ExtractionException, InterruptedException {
        ReadOptions reading = options.withProbes(TypeSet.probes(typeSets.searched()));
        return shares.read(heap -> threads.read(() -> {
            begun.run();
            return DebugInfo.read(
                    file, reading.withBudget(heap), info -> new Statements(info.identity(), ExecutableFacts.of(info)));
        }));
    }

    /**
     * Returns whether a file states such names: an executable, or a slim copy of one. Debug files have the headers of these
     * sections without their contents.
     *
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed or unsupported
     */
    public boolean areIn(Path file) throws IOException, ExtractionException, InterruptedException {
        return read(file, options, DebugInfo::sections).stream()
                .anyMatch(section -> SECTIONS.contains(section.name()) && section.inFile());
    }

    /**
     * Reads the names in a file, with the probes of these sets.
     *
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed, unsupported or exceeds a limit
     */
    public Identity of(Path file, List<TypeSet> sets) throws IOException, ExtractionException, InterruptedException {
        return read(file, options.withProbes(TypeSet.probes(sets)), DebugInfo::identity);
    }

    /**
     * Reads what a program states of its symbols.
     *
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed or unsupported
     */
    public ExecutableFacts factsOf(Path file) throws IOException, ExtractionException, InterruptedException {
        return read(file, options, ExecutableFacts::of);
    }

    /**
     * Reads the keys of a file.
     *
     * @param sha256 of the file in hex
     * @throws IOException if it cannot be read
     * @throws ExtractionException if it is malformed, unsupported or exceeds a limit
     */
    public FileKeys keysOf(Path file, String sha256) throws IOException, ExtractionException, InterruptedException {
        return read(file, options, info -> info.keys(sha256));
    }

    private <T> T read(Path file, ReadOptions reading, DebugInfo.Reading<T> part)
            throws IOException, ExtractionException, InterruptedException {
        return shares.read(heap -> threads.read(() -> DebugInfo.read(file, reading.withBudget(heap), part)));
    }
}
