package dev.offsetd.packages.repositories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.packages.PackageUnpacker;
import dev.offsetd.packages.repositories.RepositoryDescription.Kind;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Registries that ask for tokens, redirect, or answer something else than the specification says. */
class OciRepositoryTests {

    private static final String REGISTRY = "https://registry.example";
    private static final String IMAGE = REGISTRY + "/v2/library/ruby/";

    @TempDir
    private Path folder;

    private final PublishedFiles web = new PublishedFiles();

    private Repository repository() {
        return repository("amd64");
    }

    private Repository repository(String... architectures) {
        return new RepositoryDescription(
                        Kind.OCI,
                        REGISTRY + "/library/ruby",
                        null,
                        List.of(),
                        List.of(architectures),
                        List.of("3.*-slim"),
                        List.of(),
                        null)
                .repository(web, folder);
    }

    private static String digest(String content) {
        return "sha256:" + Hash.of(content);
    }

    private void tags(String tags) {
        web.put(IMAGE + "tags/list?n=1000", "{\"tags\": [" + tags + "]}");
    }

    /** Publishes a tag with a layer, and returns the digest of the layer. */
    private String tag(String tag, String layer) {
        String manifest = """
                {"layers": [{"digest": "%s", "size": %d}]}""".formatted(digest(layer), layer.length());
        web.put(IMAGE + "manifests/" + digest(manifest), manifest);
        web.put(IMAGE + "manifests/" + tag, """
                {"manifests": [{"digest": "%s", "platform": {"os": "linux", "architecture": "amd64"}}]}""".formatted(digest(manifest)));
        return digest(layer);
    }

    @Test
    void tokenIsFetchedWhereTheRegistrySaysAndShownToTheRegistryOnly() throws Exception {
        String layer = "x".repeat(600);
        web.permitRedirects();
        tags("\"3.4-slim\", \"3.4\"");
        String digest = tag("3.4-slim", layer);
        web.protect(
                IMAGE + "tags/list?n=1000",
                "Bearer realm=\"https://auth.example/token\",service=\"registry\",scope=\"repository:library/ruby:pull\"");
        web.put(
                "https://auth.example/token?service=registry&scope=repository%3Alibrary%2Fruby%3Apull",
                "{\"token\": \"secret\"}");
        web.putStatus(IMAGE + "blobs/" + digest, 307, Map.of("Location", "https://cdn.example/blob"));
        web.putStatus("https://cdn.example/blob", 302, Map.of("Location", REGISTRY + "/other"));
        web.put(REGISTRY + "/other", layer);

        Repository repository = repository();
        RepositoryEntry entry = repository.list(null).entries().getFirst();
        repository.open(entry, Files.createDirectory(folder.resolve("copies")));

        assertThat(entry.key()).isEqualTo(digest);
        assertThat(entry.name() + ":" + entry.version()).isEqualTo("library/ruby:3.4-slim");
        for (Web.Request request : web.requests()) {
            boolean own = request.uri().toString().startsWith(IMAGE);
            if (!own) {
                assertThat(request.headers()).as(request.uri().toString()).doesNotContainKey("Authorization");
                assertThat(request.redirected()).as(request.uri().toString()).isTrue();
            }
        }
        assertThat(web.requests())
                .filteredOn(request -> request.uri().toString().endsWith(digest))
                .allSatisfy(request -> assertThat(request.headers()).containsEntry("Authorization", "Bearer secret"));
    }

    @Test
    void urlOfTokensMayHaveAQueryAndTheirAnswerIsBounded() throws Exception {
        web.permitRedirects();
        tags("\"3.4-slim\"");
        tag("3.4-slim", "layer");
        web.protect(
                IMAGE + "tags/list?n=1000",
                "Bearer realm=\"https://auth.example/token?a=b\",service=\"s\",scope=\"c\"");
        String tokens = "https://auth.example/token?a=b&service=s&scope=c";
        web.put(tokens, "{\"token\": \"secret\"}");
        assertThat(repository().list(null).entries()).hasSize(1);

        web.put(tokens, " ".repeat(5 << 20));
        assertReason(
                Reason.LIMIT,
                "\"https://auth.example/token\" exceeds the limit of 4194304 bytes",
                () -> repository().list(null));
    }

    @Test
    void notModifiedAnswersOnlyARequestWithAnEntityTag() throws Exception {
        tags("\"3.4-slim\"");
        web.putStatus(IMAGE + "manifests/3.4-slim", 304, Map.of());
        Listing listing = repository().list(null);
        assertThat(listing.state()).isEmpty();
        assertThat(listing.complete()).isFalse();
        assertThat(listing.warnings()).singleElement().asString().contains("status 304; expected 200");

        web.putStatus(IMAGE + "tags/list?n=1000", 304, Map.of());
        assertReason(
                Reason.MISSING, "status 304; expected 200", () -> repository().list(null));
    }

    @Test
    void tagWhoseStateIsDamagedIsReadAgain() throws Exception {
        tags("\"3.4-slim\"");
        tag("3.4-slim", "layer");
        for (String damaged : List.of("3.4-slim \n", "\n", "3.4-slim sha256:x\n")) {
            Listing listing = repository().list(damaged);
            assertThat(listing.entries()).as(damaged).hasSize(1);
            assertThat(listing.complete()).isTrue();
        }
    }

    @Test
    void fullDiskIsNoFaultOfTheRegistry() {
        String layer = "x".repeat(100_000);
        web.put(IMAGE + "blobs/x", layer);
        assertThatThrownBy(() -> new Http(URI.create(REGISTRY), web)
                        .download(URI.create(IMAGE + "blobs/x"), Hash.of(layer), layer.length(), Path.of("/dev/full")))
                .matches(e -> e instanceof IOException failure && PackageUnpacker.isOfTheDisk(failure));
    }

    @Test
    void platformsHaveOtherNamesThanDebianGivesThem() throws Exception {
        tags("\"3.4-slim\"");
        String manifest = """
                {"layers": [{"digest": "%s", "size": 5}]}""".formatted(digest("layer"));
        web.put(IMAGE + "manifests/" + digest(manifest), manifest);
        web.put(IMAGE + "manifests/3.4-slim", """
                {"manifests": [{"digest": "%1$s", "platform": {"os": "linux", "architecture": "386"}},
                  {"digest": "%1$s", "platform": {"os": "linux", "architecture": "ppc64le"}},
                  {"digest": "%1$s", "platform": {"os": "linux", "architecture": "arm", "variant": "v7"}}]}""".formatted(digest(manifest)));

        assertThat(repository("i386", "ppc64el", "armhf").list(null).warnings()).isEmpty();
        assertThat(repository("armel").list(null).warnings())
                .singleElement()
                .asString()
                .contains("has no platform linux/armel");
    }

    @Test
    void missingPlatformIsWarnedOfAsLongAsTheTagStays() throws Exception {
        tags("\"3.4-slim\"");
        tag("3.4-slim", "layer");
        Listing first = repository("amd64", "arm64").list(null);
        Listing second = repository("amd64", "arm64").list(first.state());

        assertThat(second.unchanged()).isTrue();
        assertThat(second.warnings()).isEqualTo(first.warnings()).hasSize(1);
    }

    @Test
    void patternThatSelectsNoTagIsNamed() throws Exception {
        tags("\"2.7\"");
        Listing first = repository().list(null);
        assertThat(first.warnings()).singleElement().asString().contains("no tag that names selects: \"3.*-slim\"");
        assertThat(repository().list(first.state()).warnings()).isEqualTo(first.warnings());
    }

    @Test
    void redirectToAPrivateAddressFails() throws Exception {
        tags("\"3.4-slim\"");
        String digest = tag("3.4-slim", "layer");
        web.putStatus(IMAGE + "blobs/" + digest, 307, Map.of("Location", "https://169.254.169.254/latest/meta-data"));
        Repository repository = repository();
        RepositoryEntry entry = repository.list(null).entries().getFirst();

        assertThatThrownBy(() -> repository.open(entry, folder)).hasMessage("169.254.169.254 is not a public address");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void layerOfAnotherDigestFails() throws Exception {
        tags("\"3.4-slim\"");
        String digest = tag("3.4-slim", "layer");
        web.put(IMAGE + "blobs/" + digest, "lay3r");
        Repository repository = repository();
        RepositoryEntry entry = repository.list(null).entries().getFirst();

        assertReason(Reason.HASH, "expected " + digest.substring(7), () -> repository.open(entry, folder));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void manifestOfAnotherDigestFails() {
        tags("\"3.4-slim\"");
        web.put(IMAGE + "manifests/3.4-slim", """
                {"manifests": [{"digest": "%s", "platform": {"os": "linux", "architecture": "amd64"}}]}""".formatted(digest("a")));
        web.put(IMAGE + "manifests/" + digest("a"), "b");

        assertReason(
                Reason.HASH, "has the digest " + digest("b"), () -> repository().list(null));
    }

    @Test
    void malformedAnswersNameWhatWasExpected() {
        web.put(IMAGE + "tags/list?n=1000", "<html>");
        assertReason(Reason.MALFORMED, "is not JSON", () -> repository().list(null));

        web.put(IMAGE + "tags/list?n=1000", " ".repeat(5 << 20));
        assertReason(
                Reason.LIMIT,
                "exceeds the limit of 4194304 bytes",
                () -> repository().list(null));

        web.putStatus(IMAGE + "tags/list?n=1000", 500, Map.of());
        assertReason(
                Reason.STATUS, "status 500; expected 200", () -> repository().list(null));
    }

    @Test
    void brokenOrDeletedTagLeavesOutNoOther() throws Exception {
        tags("\"3.3-slim\", \"3.4-slim\", \"3.5-slim\"");
        web.put(
                IMAGE + "manifests/3.3-slim",
                "{\"manifests\": [{\"digest\": \"md5:x\","
                        + " \"platform\": {\"os\": \"linux\", \"architecture\": \"amd64\"}}]}");
        tag("3.4-slim", "layer");
        web.putStatus(IMAGE + "manifests/3.5-slim", 404, Map.of());

        Listing listing = repository().list(null);

        assertThat(listing.entries()).extracting(RepositoryEntry::version).containsExactly("3.4-slim");
        assertThat(listing.warnings())
                .satisfiesExactly(
                        first -> assertThat(first).contains("expected sha256:, and 64 hex digits"),
                        second -> assertThat(second).contains("status 404"));
        assertThat(listing.state()).contains("3.4-slim").doesNotContain("3.3-slim", "3.5-slim");
    }

    @Test
    void pagesOfTagsAreFollowedOnTheSameHostOnly() throws Exception {
        web.putWithHeaders(
                IMAGE + "tags/list?n=1000",
                Map.of("Link", "</v2/library/ruby/tags/list?n=1000&last=a>; rel=\"next\""),
                "{\"tags\": [\"a\"]}");
        web.put(IMAGE + "tags/list?n=1000&last=a", "{\"tags\": [\"3.4-slim\"]}");
        tag("3.4-slim", "layer");
        assertThat(repository().list(null).entries()).hasSize(1);

        web.putWithHeaders(
                IMAGE + "tags/list?n=1000", Map.of("Link", "<https://10.0.0.1/>; rel=\"next\""), "{\"tags\": []}");
        assertReason(
                Reason.REDIRECT, "expected its own host", () -> repository().list(null));
    }

    @Test
    void namesThatSelectTooManyTagsAreRefusedBeforeAnyIsRead() {
        tags(IntStream.rangeClosed(1, 401)
                .mapToObj(number -> "\"3." + number + "-slim\"")
                .collect(Collectors.joining(", ")));
        assertReason(
                Reason.LIMIT,
                "has 401 tags that match; expected names that select at most the limit of 400",
                () -> repository().list(null));
        assertThat(web.urls()).singleElement().asString().contains("tags/list");
    }

    private static void assertReason(Reason reason, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RepositoryException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(message);
    }
}
