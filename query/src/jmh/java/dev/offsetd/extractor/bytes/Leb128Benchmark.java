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

/** LEB128 numbers, one after the other, out of memory outside the heap, as a mapped file is. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class Leb128Benchmark {

    private static final int NUMBERS = 4096;

    /** Bytes of the numbers: all one, all three, or what abbreviation codes are: nine of ten one, the others two. */
    @Param({"1", "3", "codes"})
    public String bytes;

    private Section section;

    @Setup
    public void fill() {
        Random random = new Random(1);
        byte[] numbers = new byte[NUMBERS * 3];
        int end = 0;
        for (int i = 0; i < NUMBERS; i++) {
            int length = bytes.equals("codes") ? random.nextInt(10) == 0 ? 2 : 1 : Integer.parseInt(bytes);
            for (int left = length; left > 0; left--) {
                numbers[end++] = (byte) (random.nextInt(1, 0x80) | (left > 1 ? 0x80 : 0));
            }
        }
        MemorySegment outside = Arena.ofAuto().allocate(end);
        outside.copyFrom(MemorySegment.ofArray(numbers).asSlice(0, end));
        section = new Section(".debug_info", outside, ByteOrder.LITTLE_ENDIAN);
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long uleb128() throws MalformedInputException {
        ByteCursor in = section.cursor();
        long sum = 0;
        for (int i = 0; i < NUMBERS; i++) {
            sum += in.uleb128();
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long sleb128() throws MalformedInputException {
        ByteCursor in = section.cursor();
        long sum = 0;
        for (int i = 0; i < NUMBERS; i++) {
            sum += in.sleb128();
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(NUMBERS)
    public long skipLeb128() throws MalformedInputException {
        ByteCursor in = section.cursor();
        for (int i = 0; i < NUMBERS; i++) {
            in.skipLeb128();
        }
        return in.offset();
    }
}
