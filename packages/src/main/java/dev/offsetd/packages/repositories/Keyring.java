package dev.offsetd.packages.repositories;

import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.bouncycastle.openpgp.PGPException;
import org.bouncycastle.openpgp.api.OpenPGPApi;
import org.bouncycastle.openpgp.api.OpenPGPCertificate;
import org.bouncycastle.openpgp.api.OpenPGPDetachedSignatureProcessor;
import org.bouncycastle.openpgp.api.OpenPGPSignature.OpenPGPDocumentSignature;
import org.bouncycastle.openpgp.api.bc.BcOpenPGPApi;
import org.jspecify.annotations.Nullable;

/** OpenPGP certificates, one of which must have signed an index. */
public final class Keyring {

    private static final OpenPGPApi OPENPGP = new BcOpenPGPApi();

    private static final String MESSAGE = "-----BEGIN PGP SIGNED MESSAGE-----";
    private static final String SIGNATURE = "-----BEGIN PGP SIGNATURE-----";
    private static final String END = "-----END PGP SIGNATURE-----";

    private final List<OpenPGPCertificate> certificates;
    private final InstantSource clock;

    /**
     * @param armored certificates in ASCII armour; null for those of Debian's archive
     * @throws IllegalArgumentException if it has none
     */
    Keyring(@Nullable String armored, InstantSource clock) {
        this.clock = clock;
        try {
            this.certificates = OPENPGP.readKeyOrCertificate().parseCertificates(armored == null ? debian() : armored);
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("keyring cannot be read: " + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new IllegalArgumentException("keyring has no OpenPGP certificate");
        }
    }

    private static String debian() throws IOException {
        try (InputStream in = Objects.requireNonNull(Keyring.class.getResourceAsStream("debian-archive-keyring.asc"))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Returns the certificates of a file, which is binary or armoured, in ASCII armour. */
    public static String read(Path file) throws IOException {
        StringBuilder armored = new StringBuilder();
        try {
            for (OpenPGPCertificate certificate :
                    OPENPGP.readKeyOrCertificate().parseCertificates(Files.readAllBytes(file))) {
                armored.append(certificate.toAsciiArmoredString());
            }
        } catch (RuntimeException e) {
            throw new IOException(file + " is not an OpenPGP keyring: " + e.getMessage(), e);
        }
        if (armored.isEmpty()) {
            throw new IOException(file + " is not an OpenPGP keyring: it has no certificate");
        }
        return armored.toString();
    }

    /**
     * Returns the text that a message with a cleartext signature (RFC 9580 section 7) signs.
     *
     * @throws RepositoryException if no certificate has signed it, or if there is text that is not signed
     */
    String signedText(String place, byte[] message) throws RepositoryException {
        // A character for each byte, because signatures are of bytes.
        List<String> lines =
                new String(message, StandardCharsets.ISO_8859_1).lines().toList();
        int start = lines.indexOf("");
        int end = lines.indexOf(SIGNATURE);
        if (start < 0 || end < start || !lines.getFirst().equals(MESSAGE)) {
            throw new RepositoryException(
                    Reason.SIGNATURE, place + " is not signed; expected a message that begins with " + MESSAGE);
        }
        if (lines.indexOf(END) != lines.size() - 1) {
            throw new RepositoryException(Reason.SIGNATURE, place + " has text behind its signature");
        }
        List<String> signed = new ArrayList<>();
        for (String line : lines.subList(start + 1, end)) {
            signed.add((line.startsWith("- ") ? line.substring(2) : line).stripTrailing());
        }
        String text = String.join("\r\n", signed);
        verify(
                place,
                text.getBytes(StandardCharsets.ISO_8859_1),
                String.join("\n", lines.subList(end, lines.size())).getBytes(StandardCharsets.ISO_8859_1));
        return new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /**
     * Verifies a detached signature.
     *
     * @throws RepositoryException if no certificate made it
     */
    void verify(String place, byte[] content, byte[] signature) throws RepositoryException {
        List<String> refused = new ArrayList<>();
        try {
            OpenPGPDetachedSignatureProcessor processor = OPENPGP.verifyDetachedSignature()
                    .verifyNotAfter(Date.from(clock.instant()))
                    .setExceptionCallback(e -> refused.add(Objects.requireNonNullElse(e.getMessage(), e.toString())));
            certificates.forEach(processor::addVerificationCertificate);
            processor.addSignatures(new ByteArrayInputStream(signature));
            for (OpenPGPDocumentSignature made : processor.process(new ByteArrayInputStream(content))) {
                if (made.isTestedCorrect() && made.isValid() && made.isValidAt(Date.from(clock.instant()))) {
                    return;
                }
            }
        } catch (IOException | PGPException | RuntimeException e) {
            refused.add(Objects.requireNonNullElse(e.getMessage(), e.toString()));
        }
        throw new RepositoryException(
                Reason.SIGNATURE,
                "the signature of " + place + " is not a valid one of a key in the keyring"
                        + (refused.isEmpty()
                                ? ""
                                : ": " + String.join("; ", refused).toLowerCase(Locale.ROOT)));
    }
}
