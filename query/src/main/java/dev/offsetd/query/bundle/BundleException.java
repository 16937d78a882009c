package dev.offsetd.query.bundle;

/** Thrown when a bundle is damaged, tampered with, or exceeds a limit. The message names the place in the file. */
public final class BundleException extends Exception {

    public BundleException(String message) {
        super(message);
    }

    BundleException(String message, Throwable cause) {
        super(message, cause);
    }
}
