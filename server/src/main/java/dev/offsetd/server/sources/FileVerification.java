package dev.offsetd.server.sources;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.operations.compute.ComputePool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/** Verifies that a file is the complete ELF file of a build. */
public final class FileVerification {

    /** Section with the build-id, as the exceptions of files with another one name it. */
    public static final String NOTE_SECTION = ".note.gnu.build-id";

    /** {@link DebugInfo#facts}, replaceable in tests. */
    @FunctionalInterface
    interface Inspection {
        ElfFacts inspect(Path file) throws IOException, ExtractionException;
    }

    /** How long a file that did not change is not read again to serve it. */
    private static final Duration LATELY = Duration.ofMinutes(10);

    private static final int MAX_REMEMBERED = 10_000;

    /** {@link DigestUtils} reads 1 KiB at a time, which takes a fifth longer. */
    private static final int HASHED_BYTES = 64 << 10;

    /** Parts of 64 MiB, of which none takes long. */
    private static final int CHUNKS_OF_A_PART = 1 << 10;

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.HEADERS, 1);

    private final Inspection inspection;
    private final ComputePool threads;

    private final Cache<Unchanged, Verified> lately = Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(LATELY)
            .build();

    /** Verifies and hashes a file, and throws as {@link #verify}. */
    @FunctionalInterface
    interface Check {
        Verified of(Path file, BuildId expected) throws IOException, ExtractionException, InterruptedException;
    }

    /**
     * A verified file.
     *
     * @param sha256 in lower-case hex; null if it was not needed
     */
    record Verified(ElfFacts elf, @Nullable String sha256) {}

    /** Identifies the content of a file by the attributes that every change of it sets. */
    private record Unchanged(BuildId id, Map<String, Object> attributes) {

        static Unchanged of(Path file, BuildId id) throws IOException {
            return new Unchanged(id, Files.readAttributes(file, "unix:dev,ino,ctime,size"));
        }
    }

    /** @param threads that read the files; must not be those of the callers */
    FileVerification(Inspection inspection, ComputePool threads) {
        this.inspection = inspection;
        this.threads = threads;
    }

    /** Returns the threads that read files of sources. */
    ComputePool threads() {
        return threads;
    }

    /**
     * Verifies a file and returns its facts.
     *
     * @param expected the build-id that the file must have; the file may have any if this is an alias key
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is not an ELF file, is truncated, or has no or another build-id
     */
    ElfFacts verify(Path file, BuildId expected) throws IOException, ExtractionException, InterruptedException {
        ElfFacts facts = threads.read(() -> inspection.inspect(file));
        // Other keys are not in the headers; their callers compare them.
        if (expected.isGnu()) {
            BuildId own = facts.buildId();
            if (own == null) {
                throw otherBuild("no NT_GNU_BUILD_ID note", expected);
            }
            if (!own.equals(expected)) {
                throw otherBuild("NT_GNU_BUILD_ID is " + own, expected);
            }
        }
        requirePossible(facts.architecture());
        return facts;
    }

    /** Verifies a file like {@link #verify}, but accepts BTF without ELF around it, which has no build-id: the caller claims it. */
    ElfFacts verifyUpload(Path file, BuildId expected) throws IOException, ExtractionException, InterruptedException {
        ElfFacts facts = threads.read(() -> inspection.inspect(file));
        return facts.isRawBtf() ? facts : verify(file, expected);
    }

    /** Verifies a file of which parts are read; throws as {@link #verify}. */
    Verified verifyOnly(Path file, BuildId expected) throws IOException, ExtractionException, InterruptedException {
        return new Verified(verify(file, expected), null);
    }

    Verified verifyAndHash(Path file, BuildId expected) throws IOException, ExtractionException, InterruptedException {
        return new Verified(verify(file, expected), sha256(file));
    }

    /**
     * Verifies and hashes a file like {@link #verifyAndHash}, but does not read the file again if it was verified by this method some minutes ago and has not
     * changed: a client may ask for one range after another of a file of gigabytes.
     */
    Verified verifiedLately(Path file, BuildId expected) throws IOException, ExtractionException, InterruptedException {
        Unchanged before = Unchanged.of(file, expected);
        Verified known = lately.getIfPresent(before);
        if (known == null) {
            known = verifyAndHash(file, expected);
            lately.put(before, known);
        }
        return known;
    }

    /** Returns the SHA-256 of a file in lower-case hex. Other files are verified between its parts. */
    private String sha256(Path file) throws IOException, ExtractionException, InterruptedException {
        MessageDigest digest = DigestUtils.getSha256Digest();
        try (InputStream in = Files.newInputStream(file)) {
            boolean more;
            do {
                more = threads.read(() -> hashPart(in, digest));
            } while (more);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Hashes the next part of a file; returns false at its end. */
    private static boolean hashPart(InputStream in, MessageDigest digest) throws IOException {
        byte[] chunk = new byte[HASHED_BYTES];
        for (int i = 0; i < CHUNKS_OF_A_PART; i++) {
            int n = in.read(chunk);
            if (n < 0) {
                return false;
            }
            digest.update(chunk, 0, n);
        }
        return true;
    }

    /** Reads the keys of a file with this SHA-256 in hex. */
    FileKeys keys(Path file, String sha256) throws IOException, ExtractionException, InterruptedException {
        return threads.read(() -> DebugInfo.read(file, OPTIONS, info -> info.keys(sha256)));
    }

    /** Checks that machine, class and byte order agree: a forged header would silently yield wrong sizes. */
    private static void requirePossible(Architecture architecture) throws MalformedInputException {
        boolean little = architecture.byteOrder() == ByteOrder.LITTLE_ENDIAN;
        boolean possible = switch (architecture.machine()) {
            // x86-64 also has a 32-bit ABI, x32.
            case "x86_64" -> little;
            case "i386" -> little && architecture.bits() == 32;
            case "s390", "s390x" -> !little;
            default -> true;
        };
        if (!possible) {
            throw new MalformedInputException(
                    "elf header",
                    ExtractionException.NO_OFFSET,
                    "machine " + architecture.machine() + ", " + architecture.bits() + "-bit, "
                            + architecture.byteOrderName() + "-endian; there is no such processor");
        }
    }

    private static MalformedInputException otherBuild(String found, BuildId expected) {
        return new MalformedInputException(
                NOTE_SECTION, ExtractionException.NO_OFFSET, found + "; expected " + expected);
    }
}
