package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Sha256;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An image of a registry (OCI Distribution Specification). Its entries are the layers of the selected tags, by digest: images
 * share them, and a layer that was read once is not downloaded again for another tag.
 */
final class OciRepository implements Repository {

    private static final int MAX_PAGES = 100;

    /** The state has a line for each. */
    private static final int MAX_TAGS = 400;

    private static final int MAX_LAYERS = 1_000;

    /** Faults that leave out a tag: it was deleted meanwhile, has another content than an image, or is too large. */
    private static final Set<Reason> OF_ONE_TAG = EnumSet.of(Reason.MISSING, Reason.MALFORMED, Reason.LIMIT);

    private static final Map<String, String> ACCEPT = Map.of(
            "Accept",
            "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json,"
                    + " application/vnd.docker.distribution.manifest.list.v2+json,"
                    + " application/vnd.docker.distribution.manifest.v2+json");

    /** @param variant empty if it does not matter */
    private record Platform(String architecture, String variant) {}

    /** Platforms by Debian's names, where images name them otherwise. */
    private static final Map<String, Platform> PLATFORMS = Map.of(
            "i386", new Platform("386", ""),
            "armel", new Platform("arm", "v5"),
            "armhf", new Platform("arm", "v7"),
            "ppc64el", new Platform("ppc64le", ""),
            "mips64el", new Platform("mips64le", ""));

    private final RepositoryDescription description;
    private final URI image;
    private final Http http;
    private final Path scratch;
    private final Patterns tags;

    OciRepository(RepositoryDescription description, Web web, Path scratch) {
        this.description = description;
        URI base = description.base();
        this.image = base.resolve("/v2" + base.getPath());
        this.http = new Http(base, web);
        this.scratch = scratch;
        this.tags = new Patterns(description.names());
    }

    /**
     * Content of a tag.
     *
     * @param lacking selected architectures of which it has no image: they are warned of until the tag moves
     */
    private record Tag(String digest, List<String> lacking) {

        static final Tag UNKNOWN = new Tag("", List.of());

        Tag {
            lacking = List.copyOf(lacking);
        }

        @Override
        public String toString() {
            return lacking.isEmpty() ? digest : digest + ' ' + String.join(" ", lacking);
        }
    }

    /** Layers and warnings of one listing. */
    private static final class Found {

        private final Map<String, RepositoryEntry> layers = new LinkedHashMap<>();
        private final List<String> warnings = new ArrayList<>();
    }

    @Override
    public Listing list(@Nullable String earlierState, NewestIndex newest) throws IOException {
        Map<String, Tag> earlier = tags(earlierState);
        Map<String, Tag> state = new TreeMap<>();
        Found found = new Found();
        List<String> selected = tags();
        if (selected.isEmpty()) {
            found.warnings.add(tags.selectNothing(Web.shown(description.base()), "tag"));
        }
        for (String tag : selected) {
            try {
                Tag read = read(tag, earlier.getOrDefault(tag, Tag.UNKNOWN), found);
                state.put(tag, read);
                read.lacking()
                        .forEach(architecture ->
                                found.warnings.add(image(tag) + " has no platform linux/" + architecture));
            } catch (RepositoryException e) {
                if (!OF_ONE_TAG.contains(e.reason())) {
                    throw e;
                }
                found.warnings.add(String.valueOf(e.getMessage()));
            }
        }
        StringBuilder text = new StringBuilder();
        state.forEach((tag, read) -> text.append(tag).append(' ').append(read).append('\n'));
        // Layers of a tag that has its earlier digest, or cannot be read, are left out.
        boolean complete = state.size() == selected.size()
                && state.entrySet().stream().noneMatch(tag -> tag.getValue().equals(earlier.get(tag.getKey())));
        return new Listing(
                text.toString(), state.equals(earlier), complete, List.copyOf(found.layers.values()), found.warnings);
    }

    /**
     * Returns the tags of a state, which has a line for each: tag, digest, and the architectures that the image lacks. A tag
     * whose line is damaged is read again.
     */
    private static Map<String, Tag> tags(@Nullable String state) {
        Map<String, Tag> tags = new TreeMap<>();
        if (state != null) {
            for (String line : state.lines().toList()) {
                List<String> words = Stanzas.words(line);
                if (words.size() > 1 && Hash.isKey(words.get(1))) {
                    tags.put(words.getFirst(), new Tag(words.get(1), words.subList(2, words.size())));
                }
            }
        }
        return tags;
    }

    private List<String> tags() throws IOException {
        List<String> selected = new ArrayList<>();
        Optional<URI> page = Optional.of(image.resolve("tags/list?n=1000"));
        for (int pages = 0; page.isPresent(); pages++) {
            URI url = page.get();
            if (pages == MAX_PAGES) {
                throw new RepositoryException(Reason.LIMIT, Web.shown(url) + " has more than " + MAX_PAGES + " pages");
            }
            Http.Answer answer = http.get(url, Map.of(), Http.MAX_JSON_BYTES);
            for (JsonNode tag : http.json(url, answer.body()).path("tags")) {
                if (tags.match(tag.asString("")) && isTag(tag.asString(""))) {
                    selected.add(tag.asString(""));
                }
            }
            page = next(url, answer.link());
        }
        if (selected.size() > MAX_TAGS) {
            throw new RepositoryException(
                    Reason.LIMIT,
                    Web.shown(description.base()) + " has " + selected.size() + " tags that match; expected names that"
                            + " select at most the limit of " + MAX_TAGS + ", such as \"3.4*-slim\"");
        }
        // Registries list them in any order.
        Collections.sort(selected);
        return selected;
    }

    /** Tags are parts of paths, and words of the state. */
    private static boolean isTag(String text) {
        return !text.isEmpty()
                && text.length() <= 128
                && text.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '-');
    }

    /** Returns the target of a {@code Link} header with the relation "next", on the same host. */
    private static Optional<URI> next(URI url, @Nullable String link) throws RepositoryException {
        int end = link == null ? -1 : link.indexOf('>');
        if (link == null || !link.startsWith("<") || end < 0) {
            return Optional.empty();
        }
        try {
            URI target = url.resolve(link.substring(1, end));
            if (Http.isSameHost(url, target)) {
                return Optional.of(target);
            }
        } catch (IllegalArgumentException notAUri) {
            // Refused below.
        }
        throw new RepositoryException(
                Reason.REDIRECT,
                Web.shown(url) + " continues at " + HostileText.quote(link) + "; expected its own host");
    }

    /**
     * Reads the manifest of a tag, unless it has the known digest.
     *
     * @return the known one then
     */
    private Tag read(String tag, Tag known, Found found) throws IOException {
        URI url = image.resolve("manifests/" + tag);
        Map<String, String> headers = new TreeMap<>(ACCEPT);
        if (!known.digest().isEmpty()) {
            headers.put(Http.IF_NONE_MATCH, '"' + known.digest() + '"');
        }
        Http.Answer answer = http.get(url, headers, Http.MAX_JSON_BYTES);
        String digest = answer.status() == 304 ? known.digest() : digest(answer.body());
        if (digest.equals(known.digest())) {
            return known;
        }
        JsonNode manifest = http.json(url, answer.body());
        List<String> lacking = new ArrayList<>();
        for (String architecture : description.architectures()) {
            Optional<JsonNode> platform = platform(manifest, architecture);
            if (platform.isPresent()) {
                addLayers(tag, architecture, platform.get(), found);
            } else {
                lacking.add(architecture);
            }
        }
        return new Tag(digest, lacking);
    }

    /** Returns the manifest of a platform. An image without an index tells its only one in its configuration. */
    private Optional<JsonNode> platform(JsonNode manifest, String architecture) throws IOException {
        if (!manifest.has("manifests")) {
            String digest = manifest.path("config").path("digest").asString("");
            return isPlatform(blob("blobs/", digest), architecture) ? Optional.of(manifest) : Optional.empty();
        }
        for (JsonNode listed : manifest.path("manifests")) {
            if (isPlatform(listed.path("platform"), architecture)) {
                return Optional.of(blob("manifests/", listed.path("digest").asString("")));
            }
        }
        return Optional.empty();
    }

    private static boolean isPlatform(JsonNode described, String architecture) {
        Platform wanted = PLATFORMS.getOrDefault(architecture, new Platform(architecture, ""));
        String variant = described.path("variant").asString("");
        return described.path("os").asString("").equals("linux")
                && described.path("architecture").asString("").equals(wanted.architecture())
                && (wanted.variant().isEmpty() || variant.isEmpty() || variant.equals(wanted.variant()));
    }

    private void addLayers(String tag, String architecture, JsonNode manifest, Found found) throws IOException {
        JsonNode layers = manifest.path("layers");
        if (layers.isEmpty() || layers.size() > MAX_LAYERS) {
            throw new RepositoryException(
                    Reason.MALFORMED, image(tag) + " has " + layers.size() + " layers; expected 1 to " + MAX_LAYERS);
        }
        String name = description.base().getPath();
        for (JsonNode layer : layers) {
            String digest = layer.path("digest").asString("");
            RepositoryEntry entry = new RepositoryEntry(
                    digest,
                    name.substring(1, name.length() - 1),
                    tag,
                    architecture,
                    "blobs/" + digest,
                    layer.path("size").asLong(0),
                    List.of());
            Index.requireVerifiable(entry);
            found.layers.putIfAbsent(digest, entry);
        }
    }

    private String image(String tag) {
        return Web.shown(description.base()) + " with the tag " + tag;
    }

    private static String digest(byte[] body) {
        return Hash.PREFIX + Sha256.hex(body);
    }

    /** Returns a part of the image in JSON, which has this digest. */
    private JsonNode blob(String folder, String digest) throws IOException {
        if (!Hash.isKey(digest)) {
            throw new RepositoryException(
                    Reason.MALFORMED,
                    Web.shown(image) + " has the digest " + HostileText.quote(digest)
                            + "; expected sha256:, and 64 hex digits");
        }
        URI url = image.resolve(folder + digest);
        byte[] body = http.get(url, ACCEPT, Http.MAX_JSON_BYTES).body();
        if (!digest(body).equals(digest)) {
            throw new RepositoryException(Reason.HASH, Web.shown(url) + " has the digest " + digest(body));
        }
        return http.json(url, body);
    }

    @Override
    public List<PackageFile> open(RepositoryEntry entry, Path folder) throws IOException {
        URI url = image.resolve(entry.location());
        Path file = Files.createTempFile(scratch, "layer-", "");
        try {
            http.download(url, entry.key().substring(Hash.PREFIX.length()), entry.size(), file);
            return EntryFiles.copy(
                    entry.name() + ":" + entry.version(), file, folder, new Patterns(description.files()));
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
