package dev.offsetd.extractor.bytes;

import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Numbers of fixed size, one after the other, out of memory outside the heap, as a mapped file is. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ByteCursorBenchmark {

    private static final int NUMBERS = 4096;

    @Param({"LITTLE_ENDIAN", "BIG_ENDIAN"})
    public String order;

    private Section section;

    @Setup
    public void fill() {
        byte[] bytes = new byte[NUMBERS * Long.BYTES];
        new Random(1).nextBytes(bytes);
        MemorySegment outside = Arena.ofAuto().allocate(bytes.length);
        outside.copyFrom(MemorySegment.ofArray(bytes));
        section = new Section(
                ".debug_info", outside, order.equals("BIG_ENDIAN") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long u8() throws MalformedInputException {
        ByteCursor in = section.cursor();
        long sum = 0;
        for (int i = 0; i < NUMBERS; i++) {
            sum += in.u8();
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long u16() throws MalformedInputException {
        ByteCursor in = section.cursor();
        long sum = 0;
        for (int i = 0; i < NUMBERS; i++) {
            sum += in.u16();
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long u32() throws MalformedInputException {
        ByteCursor in = section.cursor();
        long sum = 0;
        for (int i = 0; i < NUMBERS; i++) {
            sum += in.u32();
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long u64() throws MalformedInputException {
        ByteCursor in = section.cursor();
        long sum = 0;
        for (int i = 0; i < NUMBERS; i++) {
            sum += in.u64();
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long skip() throws MalformedInputException {
        ByteCursor in = section.cursor();
        for (int i = 0; i < NUMBERS; i++) {
            in.skip(8);
        }
        return in.offset();
    }
}
