package dev.offsetd.server.sources;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.apache.commons.codec.digest.DigestUtils;

/** SHA-256 of files. */
final class FileHash {

    /** {@link DigestUtils} reads 1 KiB at a time, which takes a fifth longer. */
    private static final int CHUNK_BYTES = 64 << 10;

    private FileHash() {}

    /** Returns the SHA-256 of a file in lower-case hex. */
    static String of(Path file) throws IOException {
        MessageDigest digest = DigestUtils.getSha256Digest();
        byte[] chunk = new byte[CHUNK_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                digest.update(chunk, 0, n);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
