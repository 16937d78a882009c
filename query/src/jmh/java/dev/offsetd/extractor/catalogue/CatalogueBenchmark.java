package dev.offsetd.query.store;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.bench.Input;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The catalogue of a file: written, opened, and looked up in by the names of its types, shuffled. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class CatalogueBenchmark {

    @Param(Input.COMMITTED)
    public String file;

    private TypeCatalogue types;
    private byte[] blob;
    private StoredCatalogue stored;
    private List<String> names;
    private int next;

    @Setup
    public void read() throws IOException, ExtractionException {
        types = DebugInfo.read(Input.path(file), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types();
        blob = CatalogueWriter.encode(types);
        stored = StoredCatalogue.of(blob);
        names = new ArrayList<>(types.definitions().stream()
                .map(Definition::name)
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList());
        Collections.shuffle(names, new Random(1));
    }

    private String name() {
        next = (next + 1) % names.size();
        return names.get(next);
    }

    @Benchmark
    public byte[] encode() {
        // With its index of names, which a catalogue makes once.
        return CatalogueWriter.encode(
                new TypeCatalogue(types.definitions(), types.variables(), types.inlineNamespaces(), types.omissions()));
    }

    @Benchmark
    public StoredCatalogue open() {
        return StoredCatalogue.of(blob);
    }

    /** The few blocks that an open catalogue keeps are those of the names before. */
    @Benchmark
    public List<Definition> lookUp() {
        return stored.definitionsNamed(name());
    }

    @Benchmark
    public List<Definition> openAndLookUp() {
        return StoredCatalogue.of(blob).definitionsNamed(name());
    }
}
