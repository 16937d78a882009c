package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Architecture;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.codec.digest.MessageDigestAlgorithms;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileVerificationTests {

    private static final BuildId ID = BuildId.parse("11".repeat(20));

    @TempDir
    private Path folder;

    private static FileVerification finding(String machine, int bits, ByteOrder order) {
        ElfFacts facts =
                new ElfFacts(ID, new Architecture(machine, bits, order), 3, true, false, false, false, false, 1);
        return new FileVerification(_ -> facts, UpstreamFixture.THREADS);
    }

    /** A file is hashed in parts of 64 MiB. */
    @Test
    void hashIsThatOfAllParts() throws Exception {
        Path file = folder.resolve("long");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength((64 << 20) + 1);
        }

        FileVerification.Verified verified =
                finding("x86_64", 64, ByteOrder.LITTLE_ENDIAN).verifyAndHash(file, ID);

        assertThat(verified.sha256())
                .isEqualTo(new DigestUtils(MessageDigestAlgorithms.SHA_256).digestAsHex(file.toFile()));
    }

    @ParameterizedTest
    @CsvSource({
        "x86_64, 64, little, true",
        "x86_64, 32, little, true",
        "x86_64, 64, big, false",
        "i386, 32, little, true",
        "i386, 64, little, false",
        "i386, 32, big, false",
        "s390x, 64, big, true",
        "s390x, 64, little, false",
        "s390, 32, little, false",
        "mips, 32, big, true"
    })
    void machineMustExist(String machine, int bits, String order, boolean exists) {
        FileVerification verification =
                finding(machine, bits, order.equals("big") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);

        AbstractThrowableAssert<?, ? extends Throwable> verified =
                assertThatCode(() -> verification.verify(folder, ID));

        if (exists) {
            verified.doesNotThrowAnyException();
        } else {
            verified.isInstanceOf(MalformedInputException.class).hasMessageContaining("machine " + machine);
        }
    }
}
