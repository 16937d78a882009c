package dev.offsetd.packages.repositories;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.packages.repositories.RepositoryDescription.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Indexes of repositories: the first byte of an input says which file of which kind of repository the others are. */
class RepositoryIndexFuzzTests {

    private static final String PLACE = "https://place.example/";

    private static final int KINDS = 6;

    /** Memory for verifying a signature and opening a parser of XML. */
    private static final long FIXED_BYTES = 64L << 20;

    private static final Signer SIGNER = made(Signer::new);

    @TempDir
    private static Path scratch;

    private static <T> T made(Callable<T> making) {
        try {
            return making.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        byte[] file = Arrays.copyOfRange(data, 1, data.length);
        Repository repository = switch ((data[0] & 0xff) % KINDS) {
            case 0 -> apt(SIGNER::inline, file);
            case 1 -> apt(text -> text, file);
            case 2 -> packages(file);
            case 3 -> rpm(file, new PublishedFiles());
            case 4 -> primary(file);
            default -> oci(file);
        };
        Optional<Listing> listing = HostileRun.answer(
                "index", FIXED_BYTES + HostileRun.allocationBound(data.length), () -> list(repository));
        if (listing.isPresent() && listing.get().state().length() > FIXED_BYTES) {
            throw new AssertionError("a state of " + listing.get().state().length() + " characters");
        }
        try (Stream<Path> left = Files.list(scratch)) {
            if (left.findAny().isPresent()) {
                throw new AssertionError("an index is left in the folder");
            }
        }
    }

    /** Returns the listing, or null if it was refused for a reason. */
    @SuppressWarnings("NullAway") // HostileRun takes null for a refusal.
    private static Listing list(Repository repository) throws IOException {
        try {
            return repository.list(null);
        } catch (RepositoryException e) {
            String message = String.valueOf(e.getMessage());
            if (message.isBlank() || message.chars().anyMatch(Character::isISOControl)) {
                throw new AssertionError("refused without a message that can be shown: " + message, e);
            }
            return null;
        }
    }

    /** Signs a text. */
    @FunctionalInterface
    private interface Signature {

        String of(String text) throws Exception;
    }

    private static Repository apt(Signature signature, byte[] release) {
        return repository(
                Kind.APT,
                new PublishedFiles()
                        .put(
                                PLACE + "dists/stable/InRelease",
                                made(() -> signature.of(new String(release, StandardCharsets.ISO_8859_1)))));
    }

    private static Repository packages(byte[] index) {
        String release = """
                Suite: stable
                Date: Thu, 26 Nov 2026 10:00:00 UTC
                SHA256:
                 %s %d main/binary-amd64/Packages
                """.formatted(hash(index), index.length);
        return repository(
                Kind.APT,
                new PublishedFiles()
                        .put(PLACE + "dists/stable/InRelease", made(() -> SIGNER.inline(release)))
                        .put(PLACE + "dists/stable/main/binary-amd64/Packages", index));
    }

    private static Repository rpm(byte[] repomd, PublishedFiles files) {
        return repository(
                Kind.RPM,
                files.put(PLACE + "repodata/repomd.xml", repomd)
                        .put(PLACE + "repodata/repomd.xml.asc", made(() -> SIGNER.signature(repomd))));
    }

    private static Repository primary(byte[] index) {
        String repomd = """
                <repomd><data type="primary"><checksum type="sha256">%s</checksum><location href="repodata/primary.xml"/>
                <timestamp>1</timestamp><size>%d</size></data></repomd>
                """.formatted(hash(index), index.length);
        return rpm(
                repomd.getBytes(StandardCharsets.UTF_8),
                new PublishedFiles().put(PLACE + "repodata/primary.xml", index));
    }

    /** A registry that answers every request with the same document. */
    private static Repository oci(byte[] document) {
        PublishedFiles files = new PublishedFiles();
        return repository(Kind.OCI, request -> {
            String url = request.uri().toString();
            return files.put(url, document).get(request);
        });
    }

    private static Repository repository(Kind kind, Web web) {
        return made(() -> new RepositoryDescription(
                        kind,
                        PLACE,
                        kind == Kind.APT ? "stable" : null,
                        List.of(),
                        List.of("amd64"),
                        List.of(),
                        List.of(),
                        kind == Kind.OCI ? null : SIGNER.keyring()))
                .repository(web, scratch);
    }

    private static String hash(byte[] content) {
        return Sha256.hex(content);
    }
}
