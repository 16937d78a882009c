package dev.offsetd.cli.bundle;

import dev.offsetd.cli.bundle.SshSignature.ValidSignature;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.query.bundle.Bundle;
import dev.offsetd.query.bundle.BundleException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An open bundle whose structure and signature are checked.
 *
 * @param signature null if the bundle has none
 */
record VerifiedBundle(Path file, Bundle bundle, @Nullable ValidSignature signature) implements AutoCloseable {

    /** Reads a part of a bundle. */
    @FunctionalInterface
    interface Reading<T> {
        T read(Bundle bundle) throws IOException, BundleException;
    }

    /**
     * Opens a bundle.
     *
     * @param signers file of allowed signers; with it, the signature of one of them is required
     * @throws CommandFailure if the file is not a bundle, or its signature is missing or not valid
     */
    static VerifiedBundle open(Path file, @Nullable Path signers) throws CommandFailure {
        Bundle bundle;
        try {
            bundle = Bundle.open(file);
        } catch (IOException | BundleException e) {
            throw unusable(file, e);
        }
        boolean valid = false;
        try {
            VerifiedBundle verified = new VerifiedBundle(
                    file, bundle, signature(file, bundle, signers).orElse(null));
            valid = true;
            return verified;
        } finally {
            if (!valid) {
                close(bundle);
            }
        }
    }

    private static Optional<ValidSignature> signature(Path file, Bundle bundle, @Nullable Path signers)
            throws CommandFailure {
        Optional<byte[]> signature;
        try {
            signature = bundle.signature();
        } catch (IOException | BundleException e) {
            throw unusable(file, e);
        }
        if (signature.isEmpty() && signers != null) {
            throw new CommandFailure(
                    ExitCode.BAD_FILE, file + ": the bundle is not signed; expected a signature of --signers");
        }
        return signature.isEmpty()
                ? Optional.empty()
                : Optional.of(SshSignature.verify(signature.get(), bundle.signedBytes(), signers));
    }

    private static CommandFailure unusable(Path file, Exception e) {
        return new CommandFailure(
                ExitCode.BAD_FILE,
                file + ": " + (e instanceof IOException failure ? IoReason.of(failure) : e.getMessage()));
    }

    /** @throws CommandFailure if the part is missing or damaged */
    <T> T read(Reading<T> reading) throws CommandFailure {
        try {
            return reading.read(bundle);
        } catch (IOException | BundleException e) {
            throw unusable(file, e);
        }
    }

    private static void close(Bundle bundle) {
        try {
            bundle.close();
        } catch (IOException openForReadingOnly) {
            // Nothing is lost.
        }
    }

    @Override
    public void close() {
        close(bundle);
    }
}
