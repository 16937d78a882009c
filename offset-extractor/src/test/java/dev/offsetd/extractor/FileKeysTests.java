package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileKeysTests {

    private static final byte[] ID = HexFormat.of().parseHex("00112233445566778899aabbccddeeff00112233");
    private static final int SHT_NOTE = 7;

    @TempDir
    private Path folder;

    private FileKeys keys(ElfWriter elf) throws IOException, ExtractionException {
        return DebugInfo.read(elf.writeTo(folder.resolve("elf")), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::keys);
    }

    private static ElfWriter elf() {
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).loaded(".text", 0x1000, new byte[9000]);
    }

    private static byte[] goNote(String goBuildId) {
        byte[] text = goBuildId.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(16 + (text.length + 3) / 4 * 4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(4)
                .putInt(text.length)
                .putInt(4)
                .put("Go\0\0".getBytes(StandardCharsets.US_ASCII))
                .put(text)
                .array();
    }

    private static List<String> texts(FileKeys keys) {
        return keys.all().stream().map(BuildId::toString).toList();
    }

    /** Vector of the test TestFileIDFromExecutableReader of the OpenTelemetry eBPF profiler. */
    @Test
    void htlhashIsThatOfOpenTelemetry() {
        MemorySegment file = MemorySegment.ofArray(new byte[] {0x7f, 'E', 'L', 'F', 0, 1, 2, 3, 4});
        assertThat(FileKeys.htlhash(file)).hasToString("htl:caf6e5907166ac76eef618e5f7f59cd9");
    }

    /** The expected value was computed with Python's hashlib. */
    @Test
    void htlhashCoversBothEndsOfALargeFileAndItsLength() {
        byte[] file = new byte[10_000];
        for (int i = 0; i < file.length; i++) {
            file[i] = (byte) (i * 7 + 3);
        }
        assertThat(FileKeys.htlhash(MemorySegment.ofArray(file))).hasToString("htl:2ca07b427f49027278dbe1cf19e34b38");
    }

    @Test
    void fileHasItsKeysInTheOrderOfTheirWeight() throws IOException, ExtractionException, NoSuchAlgorithmException {
        FileKeys keys = keys(elf().buildId(ID).section(".note.go.buildid", SHT_NOTE, 0, 0, 0, goNote("ab/cd")));
        String sha256 = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(folder.resolve("elf"))));

        assertThat(texts(keys))
                .hasSize(4)
                .startsWith("00112233445566778899aabbccddeeff00112233", "go:ab~cd")
                .endsWith("sha256:" + sha256);
        assertThat(texts(keys).get(2)).startsWith("htl:");
        assertThat(keys.primary()).isEqualTo(BuildId.of(ID));
    }

    @Test
    void goBuildIdIsTheKeyOfAFileWithoutAGnuBuildId() throws IOException, ExtractionException {
        FileKeys keys = keys(elf().section(".note.go.buildid", SHT_NOTE, 0, 0, 0, goNote("ab/cd")));
        assertThat(keys.primary()).hasToString("go:ab~cd");
    }

    @Test
    void sha256IsTheKeyOfAFileWhoseOtherKeysAreShared() throws IOException, ExtractionException {
        FileKeys keys = keys(elf().buildId(HexFormat.of().parseHex("498919aff001d8366249403a2544fba2d833084f"))
                .section(".note.go.buildid", SHT_NOTE, 0, 0, 0, goNote("redacted")));
        assertThat(keys.primary()).isEqualTo(keys.all().getLast());
        assertThat(keys.primary().isA(BuildId.Alias.SHA256)).isTrue();
    }

    @Test
    void debugFileHasNoHtlhash() throws IOException, ExtractionException {
        Path file = elf().buildId(ID).writeTo(folder.resolve("executable"));
        Path slim = folder.resolve("slim");
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        try (OutputStream out = Files.newOutputStream(slim)) {
            DebugInfo.read(file, options, info -> info.writeSlim(out));
        }
        assertThat(DebugInfo.read(file, options, DebugInfo::keys).all())
                .anyMatch(key -> key.isA(BuildId.Alias.HTLHASH));
        assertThat(DebugInfo.read(slim, options, DebugInfo::keys).all())
                .noneMatch(key -> key.isA(BuildId.Alias.HTLHASH));
    }

    @Test
    void knownSha256IsNotComputedAgain() throws IOException, ExtractionException {
        String known = "00".repeat(32);
        Path file = elf().writeTo(folder.resolve("elf"));
        assertThat(texts(DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), info -> info.keys(known))))
                .endsWith("sha256:" + known);
    }
}
