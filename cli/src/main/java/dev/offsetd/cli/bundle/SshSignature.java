package dev.offsetd.cli.bundle;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** SSH signatures, made and checked by {@code ssh-keygen}: it knows agents and hardware keys, and no key enters this process. */
final class SshSignature {

    /** Signatures for other purposes are refused. */
    static final String NAMESPACE = "offsetd-bundle";

    private static final String PROGRAM = "ssh-keygen";
    private static final int MAX_OUTPUT_BYTES = 64 << 10;
    private static final long TIMEOUT_SECONDS = 120;

    private SshSignature() {}

    /**
     * A valid signature.
     *
     * @param signer principal in the file of allowed signers; null if there was no file to check
     * @param key type and fingerprint
     */
    record ValidSignature(@Nullable String signer, String key) {

        /** Returns the signer, or the key if its owner was not checked. */
        String name() {
            return signer == null ? key : signer;
        }
    }

    // Never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Output(int exitCode, byte[] out, String err) {}

    /**
     * Signs a message.
     *
     * @param key private key, or public key of one in the agent
     */
    static byte[] sign(Path key, byte[] message) throws CommandFailure {
        Output output = run(List.of("-Y", "sign", "-q", "-f", key.toString(), "-n", NAMESPACE), message);
        if (output.exitCode() != 0 || output.out().length == 0) {
            throw new CommandFailure(
                    ExitCode.USAGE, PROGRAM + " cannot sign with " + key + ": " + firstLine(output.err()));
        }
        return output.out();
    }

    /**
     * Checks a signature.
     *
     * @param signers file of allowed signers as in ssh-keygen(1); null to check only that the key in the signature made it
     * @throws CommandFailure if it is invalid, or the key is not allowed
     */
    static ValidSignature verify(byte[] signature, byte[] message, @Nullable Path signers) throws CommandFailure {
        Path file = null;
        try {
            file = Files.createTempFile("offsetd-", ".sig");
            Files.write(file, signature);
            return verify(file, message, signers);
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.OUTPUT_FAILED, "the signature cannot be written to a file: " + e);
        } finally {
            delete(file);
        }
    }

    private static ValidSignature verify(Path signature, byte[] message, @Nullable Path signers) throws CommandFailure {
        String signer = null;
        List<String> command = new ArrayList<>(List.of("-Y"));
        if (signers != null) {
            String allowed = signers.toString();
            Output found =
                    run(List.of("-Y", "find-principals", "-f", allowed, "-s", signature.toString()), new byte[0]);
            signer = new String(found.out(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse(null);
            if (found.exitCode() != 0 || signer == null) {
                throw invalid("its key is not one of " + allowed + ": " + firstLine(found.err()));
            }
            command.addAll(List.of("verify", "-f", allowed, "-I", signer));
        } else {
            command.add("check-novalidate");
        }
        command.addAll(List.of("-n", NAMESPACE, "-s", signature.toString()));
        Output output = run(command, message);
        String line = firstLine(new String(output.out(), StandardCharsets.UTF_8));
        int key = line.indexOf(" with ");
        if (output.exitCode() != 0 || key < 0) {
            throw invalid(firstLine(output.err().isBlank() ? line : output.err()));
        }
        return new ValidSignature(signer, line.substring(key + " with ".length()));
    }

    private static CommandFailure invalid(String reason) {
        return new CommandFailure(ExitCode.BAD_FILE, "the signature of the bundle is not valid: " + reason);
    }

    private static String firstLine(String text) {
        String line = text.lines().findFirst().orElse("no message");
        return line.chars().anyMatch(Character::isISOControl) ? HostileText.quote(line) : line;
    }

    private static void delete(@Nullable Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException leftInTheTemporaryFolder) {
            // Signatures and messages are not secret.
        }
    }

    private static Output run(List<String> arguments, byte[] input) throws CommandFailure {
        List<String> command = new ArrayList<>(List.of(PROGRAM));
        command.addAll(arguments);
        try {
            Path err = Files.createTempFile("offsetd-", ".err");
            try {
                Process process =
                        new ProcessBuilder(command).redirectError(err.toFile()).start();
                try (OutputStream in = process.getOutputStream()) {
                    in.write(input);
                } catch (IOException endedEarly) {
                    // Its exit code says why.
                }
                byte[] out;
                try (InputStream stream = process.getInputStream()) {
                    out = stream.readNBytes(MAX_OUTPUT_BYTES);
                }
                if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new CommandFailure(
                            ExitCode.INTERNAL, PROGRAM + " has not ended after " + TIMEOUT_SECONDS + " s");
                }
                return new Output(process.exitValue(), out, Files.readString(err, StandardCharsets.ISO_8859_1));
            } finally {
                delete(err);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure(ExitCode.INTERNAL, "interrupted while waiting for " + PROGRAM);
        } catch (IOException e) {
            throw new CommandFailure(
                    ExitCode.USAGE, PROGRAM + " cannot be started: " + e.getMessage() + "; install OpenSSH's client");
        }
    }
}
