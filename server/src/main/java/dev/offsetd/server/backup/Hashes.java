package dev.offsetd.server.backup;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hash of a table in a backup. */
final class Hashes {

    private Hashes() {}

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
