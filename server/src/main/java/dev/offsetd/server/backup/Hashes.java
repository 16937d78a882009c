package dev.offsetd.server.backup;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash that says whether a table is what was saved. */
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
