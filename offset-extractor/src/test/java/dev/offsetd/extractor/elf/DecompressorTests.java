package dev.offsetd.extractor.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compressed sections that take more than they should, in each way that there is to compress one. */
class DecompressorTests {

    private static final int BOMB_BYTES = 64 << 20;

    enum Way {
        ZLIB,
        ZSTD,
        ZDEBUG;

        byte[] compressed(byte[] contents) throws IOException {
            if (this == ZSTD) {
                return Zstd.compress(contents);
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (DeflaterOutputStream deflater = new DeflaterOutputStream(out)) {
                deflater.write(contents);
            }
            return out.toByteArray();
        }

        Section section(byte[] stream, long claimed, Arena arena) {
            BinaryWriter bytes = this == ZDEBUG
                    ? new BinaryWriter(ByteOrder.BIG_ENDIAN).u32(0x5a4c4942L).u64(claimed)
                    : new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                            .u32(this == ZLIB ? 1 : 2)
                            .u32(0)
                            .u64(claimed)
                            .u64(1);
            return new Section(
                    ".debug_str",
                    arena.allocateFrom(
                            ValueLayout.JAVA_BYTE, bytes.bytes(stream).toBytes()),
                    ByteOrder.LITTLE_ENDIAN);
        }

        Section decompress(Decompressor decompressor, byte[] stream, long claimed, Arena arena)
                throws ExtractionException {
            return decompress(decompressor, stream, claimed, arena, true);
        }

        Section decompress(Decompressor decompressor, byte[] stream, long claimed, Arena arena, boolean whole)
                throws ExtractionException {
            Section section = section(stream, claimed, arena);
            return this == ZDEBUG
                    ? decompressor.decompressGnu(section, whole)
                    : decompressor.decompress(section, 64, whole);
        }
    }

    static Stream<Way> ways() {
        return Stream.of(Way.values());
    }

    @ParameterizedTest
    @EnumSource
    @ChecklistRow(3)
    void bombThatClaimsToBeSmallIsMalformed(Way way) throws IOException {
        byte[] stream = way.compressed(new byte[BOMB_BYTES]);
        try (Arena arena = Arena.ofConfined()) {
            Decompressor decompressor = new Decompressor(arena, Limits.DEFAULT, Runnable::run);
            for (long claimed : new long[] {0, 1, 100, BOMB_BYTES - 1}) {
                assertThatThrownBy(() -> way.decompress(decompressor, stream, claimed, arena))
                        .as("claims %d", claimed)
                        .isInstanceOf(MalformedInputException.class)
                        .hasMessageStartingWith(".debug_str+0x");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @ChecklistRow(3)
    void bombThatSaysItsSizeIsOverTheLimit(Way way) throws IOException {
        byte[] stream = way.compressed(new byte[BOMB_BYTES]);
        try (Arena arena = Arena.ofConfined()) {
            Decompressor decompressor =
                    new Decompressor(arena, Limits.DEFAULT.withMaxDecompressedBytes(BOMB_BYTES - 1), Runnable::run);
            assertThatThrownBy(() -> way.decompress(decompressor, stream, BOMB_BYTES, arena))
                    .isInstanceOf(LimitExceededException.class)
                    .hasMessage(".debug_str: limit maxDecompressedBytes of 67108863 exceeded (header claims 67108864)");
        }
    }

    @ParameterizedTest
    @EnumSource
    @ChecklistRow(36)
    void decompressionEndsAtTheDeadline(Way way) throws Exception {
        byte[] stream = way.compressed(new byte[BOMB_BYTES]);
        Deadline passed = new Deadline(Duration.ofNanos(1));
        try (Arena arena = Arena.ofConfined()) {
            Decompressor decompressor = new Decompressor(arena, Limits.DEFAULT, Runnable::run);
            assertThatThrownBy(() -> passed.during(() -> way.decompress(decompressor, stream, BOMB_BYTES, arena, true)))
                    .isInstanceOf(DeadlineExceededException.class);
            Section inBackground = passed.during(() -> way.decompress(decompressor, stream, BOMB_BYTES, arena, false));
            assertThatThrownBy(inBackground::awaitEnd).isInstanceOf(DeadlineExceededException.class);
        }
    }

    /** A few bytes may not claim the whole limit: it would be allocated before the stream is found to be short. */
    @ParameterizedTest
    @EnumSource
    @ChecklistRow(3)
    void fewBytesThatClaimMuchAreMalformed(Way way) throws IOException {
        byte[] stream = way.compressed(new byte[1000]);
        try (Arena arena = Arena.ofConfined()) {
            Decompressor decompressor = new Decompressor(arena, Limits.DEFAULT, Runnable::run);
            assertThatThrownBy(() -> way.decompress(decompressor, stream, 8L << 30, arena))
                    .isInstanceOf(MalformedInputException.class)
                    .hasMessageContaining("ch_size is 8589934592");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @ChecklistRow(3)
    void sectionsTakeMemoryTogetherUpToTheLimitAndThenAFile(Way way) throws IOException, ExtractionException {
        byte[] contents = new byte[1000];
        contents[999] = 7;
        byte[] stream = way.compressed(contents);
        try (Arena arena = Arena.ofConfined()) {
            Decompressor decompressor =
                    new Decompressor(arena, Limits.DEFAULT.withMaxHeapSectionBytes(2000), Runnable::run);
            Section first = way.decompress(decompressor, stream, 1000, arena);
            Section second = way.decompress(decompressor, stream, 1000, arena);
            Section third = way.decompress(decompressor, stream, 1000, arena);
            assertThat(first.bytes().isMapped()).isFalse();
            assertThat(second.bytes().isMapped()).isFalse();
            assertThat(third.bytes().isMapped()).isTrue();
            assertThat(third.bytes().mismatch(first.bytes())).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLargeSectionCanBeReadAsFarAsItIsThere(Way way) throws Exception {
        byte[] contents = randomBytes();
        try (Arena arena = Arena.ofShared()) {
            List<Runnable> begun = new ArrayList<>();
            Decompressor decompressor = new Decompressor(arena, Limits.DEFAULT, begun::add);
            Section section = way.section(way.compressed(contents), contents.length, arena);
            Section arriving = way == Way.ZDEBUG
                    ? decompressor.decompressGnu(section, false)
                    : decompressor.decompress(section, 64, false);
            FutureTask<Integer> last = new FutureTask<>(
                    () -> arriving.cursor(contents.length - 1L, 1).u8());
            Thread reader = Thread.ofVirtual().start(last);
            assertThat(last.isDone()).isFalse();
            begun.getFirst().run();
            reader.join();
            assertThat(last.get()).isEqualTo(contents[contents.length - 1] & 0xff);
            assertThat(arriving.bytes().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(contents);
            decompressor.finish();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoWaitsForWhatIsBrokenIsToldSo(Way way) throws IOException, ExtractionException {
        byte[] contents = randomBytes();
        byte[] stream = way.compressed(contents);
        try (Arena arena = Arena.ofShared()) {
            Decompressor decompressor = new Decompressor(arena, Limits.DEFAULT, Runnable::run);
            Section section = way.section(Arrays.copyOf(stream, stream.length - 1000), contents.length, arena);
            Section arriving = way == Way.ZDEBUG
                    ? decompressor.decompressGnu(section, false)
                    : decompressor.decompress(section, 64, false);
            assertThat(arriving.cursor(0, 1).u8()).isEqualTo(contents[0] & 0xff);
            assertThatThrownBy(() -> arriving.cursor(contents.length - 1L, 1))
                    .isInstanceOf(MalformedInputException.class)
                    .hasMessageContaining(" ends after ");
            assertThatThrownBy(decompressor::finish).isInstanceOf(MalformedInputException.class);
        }
    }

    private static byte[] randomBytes() {
        byte[] bytes = new byte[3 << 20];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    /** The linker mold compresses each MiB into a frame. */
    @Test
    void framesOfZstdAreReadOneAfterTheOther() throws IOException, ExtractionException {
        byte[] contents = new byte[3 << 20];
        new Random(1).nextBytes(contents);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int at = 0; at < contents.length; at += 1 << 20) {
            frames.write(Zstd.compress(Arrays.copyOfRange(contents, at, at + (1 << 20))));
        }
        try (Arena arena = Arena.ofConfined()) {
            Decompressor decompressor = new Decompressor(arena, Limits.DEFAULT, Runnable::run);
            Section section = Way.ZSTD.decompress(decompressor, frames.toByteArray(), contents.length, arena);
            assertThat(section.bytes().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(contents);
            assertThatThrownBy(
                            () -> Way.ZSTD.decompress(decompressor, frames.toByteArray(), contents.length + 1L, arena))
                    .isInstanceOf(MalformedInputException.class)
                    .hasMessageContaining("stream holds 3145728 bytes, ch_size is 3145729");
        }
    }
}
