package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Build-ids of ELF files that are read once, from front to back. */
class ElfIdentityTests {

    private static final byte[] ID = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final int WINDOW = 1 << 20;

    @ParameterizedTest
    @CsvSource({"32,LITTLE_ENDIAN", "32,BIG_ENDIAN", "64,LITTLE_ENDIAN", "64,BIG_ENDIAN"})
    void noteOfASectionIsFoundInEveryKindOfFile(int bits, String order) throws Exception {
        ByteOrder byteOrder = order.equals("LITTLE_ENDIAN") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        byte[] file = new ElfWriter(bits, byteOrder)
                .buildId(ID)
                .section(".data", new byte[100])
                .toBytes();

        ElfIdentity identity = ElfIdentity.read(new ByteArrayInputStream(file));

        assertThat(identity.buildId()).isEqualTo(BuildId.of(ID));
        assertThat(identity.architecture().bits()).isEqualTo(bits);
        assertThat(identity.architecture().byteOrder()).isEqualTo(byteOrder);
    }

    @Test
    void fileWithoutANoteHasNoBuildId() throws Exception {
        byte[] file = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".data", new byte[100])
                .toBytes();

        assertThat(ElfIdentity.read(new ByteArrayInputStream(file)).buildId()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0", "3000", "5000000"})
    void noteSegmentIsFoundWhereverItLies(int distance) throws Exception {
        byte[] file = withSegment(120 + distance, note(ID));

        ElfIdentity identity = ElfIdentity.read(new ByteArrayInputStream(file));

        assertThat(identity.buildId()).isEqualTo(BuildId.of(ID));
    }

    @Test
    void nothingIsReadBehindTheNote() throws Exception {
        byte[] file = Arrays.copyOf(withSegment(120, note(ID)), 4 << 20);
        CountingInput in = new CountingInput(new ByteArrayInputStream(file));

        ElfIdentity.read(in);

        assertThat(in.count).isLessThan(1000);
    }

    @Test
    void noteThatTheStreamHasPassedIsSaidToBeOutOfReach() {
        byte[] file = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".data", new byte[2 * WINDOW])
                .buildId(ID)
                .section(".more", new byte[10])
                .toBytes();

        assertThatThrownBy(() -> ElfIdentity.read(new ByteArrayInputStream(file)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("note section")
                .hasMessageContaining("windowBytes");
    }

    @Test
    void notesInFrontOfTheSectionHeadersAreKept() throws Exception {
        byte[] file = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(ID)
                .section(".data", new byte[5 * WINDOW])
                .toBytes();

        assertThat(ElfIdentity.read(new ByteArrayInputStream(file)).buildId()).isEqualTo(BuildId.of(ID));
    }

    @Test
    void sizeThatNoNoteHasIsRefusedBeforeItIsRead() {
        byte[] file = withSegment(120, note(ID));
        ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putLong(64 + 32, 1L << 40);

        assertThatThrownBy(() -> ElfIdentity.read(new ByteArrayInputStream(file)))
                .isInstanceOf(LimitExceededException.class);
    }

    @Test
    void cutFilesAreMalformed() throws Exception {
        byte[] file = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).buildId(ID).toBytes();
        for (int length = 0; length < file.length; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            assertThatThrownBy(() -> ElfIdentity.read(new ByteArrayInputStream(cut)))
                    .as("cut at " + length)
                    .isInstanceOf(MalformedInputException.class);
        }
    }

    @Test
    void changedBytesGiveAnAnswerOrARefusal() throws IOException {
        byte[] sound = withSegment(120, note(ID));
        Random random = new Random(42);
        for (int run = 0; run < 5_000; run++) {
            byte[] file = sound.clone();
            for (int i = 0; i < 3; i++) {
                file[random.nextInt(file.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(ElfIdentity.read(new ByteArrayInputStream(file))).isNotNull();
            } catch (ExtractionException e) {
                assertThat(e).hasMessageNotContaining("\n");
            }
        }
    }

    /** A 64-bit file without section headers, and one segment of notes at this place. */
    private static byte[] withSegment(int offset, byte[] note) {
        ByteBuffer file = ByteBuffer.allocate(offset + note.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1});
        file.putShort(16, (short) 3).putShort(18, (short) 62).putInt(20, 1);
        file.putLong(32, 64).putShort(52, (short) 64).putShort(54, (short) 56).putShort(56, (short) 1);
        file.putInt(64, 4).putLong(64 + 8, offset).putLong(64 + 32, note.length).putLong(64 + 48, 4);
        file.put(offset, note);
        return file.array();
    }

    private static byte[] note(byte[] id) {
        return ByteBuffer.allocate(16 + id.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(4)
                .putInt(id.length)
                .putInt(3)
                .put(new byte[] {'G', 'N', 'U', 0})
                .put(id)
                .array();
    }

    private static final class CountingInput extends InputStream {

        private final InputStream in;
        private long count;

        CountingInput(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            int value = in.read();
            count += value < 0 ? 0 : 1;
            return value;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int got = in.read(target, offset, length);
            count += Math.max(got, 0);
            return got;
        }
    }
}
