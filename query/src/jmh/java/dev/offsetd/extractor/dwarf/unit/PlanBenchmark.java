package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bench.Input;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.AbbreviationTable;
import dev.offsetd.extractor.dwarf.abbreviation.PlanCompiler;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Plans: compiled from the abbreviations of a file, and run over its DIEs. An operation is the whole file. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class PlanBenchmark {

    @Param(Input.COMMITTED)
    public String file;

    private Arena arena;
    private DwarfSections sections;
    private DwarfUnits dwarf;

    /** How many of them a second. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Compiled {

        public long abbreviations;
    }

    /** How many of them a second. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Read {

        public long dies;
    }

    @Setup
    @SuppressWarnings("MustBeClosed") // close() closes the arena
    public void open() throws IOException, ExtractionException {
        arena = Arena.ofConfined();
        try (FileChannel channel = FileChannel.open(Input.path(file), StandardOpenOption.READ)) {
            MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            ElfFile elf = ElfFile.read(bytes, arena, Limits.DEFAULT);
            sections = new DwarfSections(
                    elf.section(".debug_info"),
                    elf.section(".debug_types"),
                    elf.section(".debug_abbrev"),
                    elf.section(".debug_str"),
                    elf.section(".debug_line_str"),
                    elf.section(".debug_str_offsets"),
                    elf.section(".debug_addr"),
                    elf.section(".debug_cu_index"),
                    elf.section(".debug_tu_index"),
                    false,
                    null);
        }
        dwarf = DwarfUnits.open(sections, Limits.DEFAULT, new HeapBudget(Limits.DEFAULT.maxKeptBytes()));
    }

    @TearDown
    public void close() {
        arena.close();
    }

    @Benchmark
    public void compile(Compiled compiled) throws ExtractionException {
        for (int i = 0; i < dwarf.ownUnitCount(); i++) {
            UnitHeader header = dwarf.unit(i).header();
            AbbreviationTable table =
                    AbbreviationTable.read(sections.abbrev(), header.abbrevOffset(), new HashMap<>(), Limits.DEFAULT);
            PlanCompiler compiler =
                    new PlanCompiler(header.version(), header.addressSize(), header.offsetSize(), false, false);
            for (int code = 1; code <= table.size(); code++) {
                table.find(code, compiler);
            }
            compiled.abbreviations += table.size();
        }
    }

    /** Every DIE, with what its plan asks for. */
    @Benchmark
    public void capture(Read read) throws ExtractionException {
        for (int i = 0; i < dwarf.ownUnitCount(); i++) {
            DieReader reader = dwarf.reader(dwarf.unit(i));
            while (reader.hasRemaining()) {
                if (reader.read() != null) {
                    read.dies++;
                }
            }
        }
    }

    /** Every DIE, without looking at its attributes. */
    @Benchmark
    public void pass(Read read) throws ExtractionException {
        for (int i = 0; i < dwarf.ownUnitCount(); i++) {
            DieReader reader = dwarf.reader(dwarf.unit(i));
            while (reader.hasRemaining()) {
                Abbreviation abbreviation = reader.next();
                if (abbreviation != null) {
                    reader.passAttributes(abbreviation);
                    read.dies++;
                }
            }
        }
    }

    /** The children of each unit DIE, without theirs; those are passed over one by one where there are no siblings, as in Go. */
    @Benchmark
    public void hop(Read read) throws ExtractionException {
        for (int i = 0; i < dwarf.ownUnitCount(); i++) {
            DieReader reader = dwarf.reader(dwarf.unit(i));
            reader.require();
            while (reader.hasRemaining()) {
                Abbreviation abbreviation = reader.next();
                if (abbreviation == null) {
                    break;
                }
                reader.pass(abbreviation);
                read.dies++;
            }
        }
    }
}
