package dev.offsetd.query.bundle;

import dev.offsetd.extractor.builds.BuildId;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * Contents and origin of a bundle. The signature is over its bytes, and it has the hash of every other file.
 *
 * @param product release of offsetd that made the bundle
 * @param server URL of the server that the builds are from
 * @param files in the order of the archive
 */
public record BundleManifest(
        String product, Instant createdAt, String server, List<BuildEntry> builds, List<FileEntry> files) {

    /** Limit of builds in one bundle. */
    public static final int MAX_BUILDS = 20_000;

    /** Limit of type sets in one bundle. */
    public static final int MAX_SETS = 1_000;

    static final int MAX_FILES = 3 * MAX_BUILDS + MAX_SETS;

    private static final String FORMAT = "offsetd bundle";
    private static final int FORMAT_VERSION = 1;
    private static final int MAX_TEXT_CHARS = 4_000;
    private static final int MAX_KEY_CHARS = 300;
    private static final int MAX_ALIASES = 100;

    public BundleManifest {
        builds = List.copyOf(builds);
        files = List.copyOf(files);
    }

    /**
     * A build, for people who decide whether to import a bundle.
     *
     * @param title what the build is called; may be empty
     * @param source of its debug file; null if the build has only pins
     */
    public record BuildEntry(
            BuildId id, String title, @Nullable SourceEntry source, int pins, List<BuildId> aliases) {

        public BuildEntry {
            aliases = List.copyOf(aliases);
        }

        /**
         * Source of a build.
         *
         * @param debugFile SHA-256 of its debug file, in hex
         */
        public record SourceEntry(String origin, String upstream, String debugFile, int extractorVersion) {}

        static BuildEntry of(BundledBuild build) {
            BundledSource source = build.source();
            return new BuildEntry(
                    build.id(),
                    build.identity().title(),
                    source == null
                            ? null
                            : new SourceEntry(
                                    source.origin(),
                                    source.upstream(),
                                    source.sha256(),
                                    source.versions().types()),
                    build.pins().size(),
                    build.aliases());
        }

        /** Writes the object that the manifest has for the build. */
        public void write(JsonGenerator out) {
            out.writeStartObject();
            out.writeStringProperty("buildId", id.toString());
            out.writeStringProperty("title", title);
            if (source != null) {
                out.writeStringProperty("origin", source.origin());
                out.writeStringProperty("upstream", source.upstream());
                out.writeStringProperty("sha256", source.debugFile());
                out.writeNumberProperty("extractor", source.extractorVersion());
            }
            out.writeNumberProperty("pins", pins);
            out.writeArrayPropertyStart("aliases");
            aliases.forEach(alias -> out.writeString(alias.toString()));
            out.writeEndArray();
            out.writeEndObject();
        }
    }

    /**
     * A file of the bundle.
     *
     * @param sha256 in lower-case hex
     */
    public record FileEntry(String path, int bytes, String sha256) {}

    byte[] toJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = BundledBuild.JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
            out.writeStartObject();
            out.writeStringProperty("format", FORMAT);
            out.writeNumberProperty("formatVersion", FORMAT_VERSION);
            out.writeStringProperty("product", product);
            out.writeStringProperty("createdAt", createdAt.toString());
            out.writeStringProperty("server", server);
            out.writeArrayPropertyStart("builds");
            builds.forEach(build -> build.write(out));
            out.writeEndArray();
            out.writeArrayPropertyStart("files");
            for (FileEntry file : files) {
                out.writeStartObject();
                out.writeStringProperty("path", file.path());
                out.writeNumberProperty("bytes", file.bytes());
                out.writeStringProperty("sha256", file.sha256());
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }

    static BundleManifest read(byte[] content) throws BundleException {
        BundleJson json = BundleJson.parse(new BundlePath(BundlePath.Part.MANIFEST, ""), content);
        if (!json.string("format", MAX_TEXT_CHARS).equals(FORMAT)) {
            throw json.wrong("format", '"' + FORMAT + '"');
        }
        if (json.integer("formatVersion", Integer.MAX_VALUE) != FORMAT_VERSION) {
            throw json.wrong("formatVersion", FORMAT_VERSION + ", or a later release of offsetd");
        }
        List<BuildEntry> builds = new ArrayList<>();
        Set<BuildId> ids = new HashSet<>();
        for (BundleJson build : json.objects("builds", MAX_BUILDS)) {
            BuildEntry entry = build(build);
            if (!ids.add(entry.id())) {
                throw build.wrong("buildId", "each build once");
            }
            builds.add(entry);
        }
        List<FileEntry> files = new ArrayList<>();
        for (BundleJson file : json.objects("files", MAX_FILES)) {
            BundlePath path = BundlePath.require(file.string("path", MAX_KEY_CHARS));
            files.add(new FileEntry(
                    path.toString(), (int) file.integer("bytes", path.part().maxBytes()), file.sha256("sha256")));
        }
        return new BundleManifest(
                json.string("product", MAX_TEXT_CHARS),
                json.time("createdAt"),
                json.string("server", MAX_TEXT_CHARS),
                builds,
                files);
    }

    private static BuildEntry build(BundleJson json) throws BundleException {
        return new BuildEntry(
                key(json, json.string("buildId", MAX_KEY_CHARS)),
                json.string("title", MAX_TEXT_CHARS),
                json.has("origin")
                        ? new BuildEntry.SourceEntry(
                                json.string("origin", MAX_TEXT_CHARS),
                                json.string("upstream", MAX_TEXT_CHARS),
                                json.sha256("sha256"),
                                (int) json.integer("extractor", Integer.MAX_VALUE))
                        : null,
                (int) json.integer("pins", Integer.MAX_VALUE),
                aliases(json));
    }

    private static List<BuildId> aliases(BundleJson json) throws BundleException {
        List<BuildId> aliases = new ArrayList<>();
        for (String alias : json.strings("aliases", MAX_ALIASES, MAX_KEY_CHARS)) {
            aliases.add(key(json, alias));
        }
        return aliases;
    }

    private static BuildId key(BundleJson json, String text) throws BundleException {
        try {
            return BuildId.parseKey(text);
        } catch (IllegalArgumentException e) {
            throw json.wrong("buildId", "a build-id: " + e.getMessage());
        }
    }
}
