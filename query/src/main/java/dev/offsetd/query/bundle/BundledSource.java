package dev.offsetd.query.bundle;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.PartVersions;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The debug file that the types and symbols of a bundled build were read from; the provenance of its answers.
 *
 * @param origin word of the kind of source
 * @param upstream URL, folder, or a word for an upload
 * @param token who uploaded the file; null for the file of a source
 * @param sha256 of the debug file, in lower-case hex
 * @param bytes size of the debug file
 * @param verified how the file was verified to be this build's
 * @param imaSignature signature of a distribution, in hex; null for none
 */
public record BundledSource(
        String origin,
        String upstream,
        @Nullable Uploader token,
        String sha256,
        long bytes,
        String verified,
        @Nullable String imaSignature,
        PartVersions versions,
        Instant extractedAt) {

    private static final int MAX_WORD_CHARS = 100;
    private static final int MAX_TEXT_CHARS = 4_000;
    private static final int MAX_SIGNATURE_CHARS = 1 << 16;

    /** Version of the symbols, in bundles whose symbols were read again since. */
    private static final String SYMBOLS_EXTRACTOR = "symbolsExtractor";

    /**
     * The uploader of a debug file.
     *
     * @param id of the token; null if there was none
     */
    public record Uploader(@Nullable String id, String label) {}

    /** Writes the members of the provenance of an answer into the object that is open. */
    public void writeProvenance(JsonGenerator out) {
        out.writeStringProperty("origin", origin);
        out.writeStringProperty("upstream", upstream);
        if (token != null) {
            out.writeObjectPropertyStart("token");
            if (token.id() != null) {
                out.writeStringProperty("id", token.id());
            }
            out.writeStringProperty("label", token.label());
            out.writeEndObject();
        }
        out.writeStringProperty("sha256", sha256);
        out.writeStringProperty("verified", verified);
        if (imaSignature != null) {
            out.writeStringProperty("imaSignature", imaSignature);
        }
        out.writeStringProperty("extractor", Integer.toString(versions.types()));
        out.writeStringProperty("extractedAt", extractedAt.toString());
    }

    void write(JsonGenerator out) {
        out.writeStartObject();
        writeProvenance(out);
        out.writeNumberProperty("bytes", bytes);
        if (versions.symbols() != versions.types()) {
            out.writeStringProperty(SYMBOLS_EXTRACTOR, Integer.toString(versions.symbols()));
        }
        out.writeEndObject();
    }

    static BundledSource read(BundleJson json) throws BundleException {
        Uploader token = null;
        if (json.has("token")) {
            BundleJson uploader = json.object("token");
            token = new Uploader(
                    uploader.optionalString("id", MAX_WORD_CHARS).orElse(null),
                    uploader.string("label", MAX_TEXT_CHARS));
        }
        int types = version(json, "extractor");
        return new BundledSource(
                json.string("origin", MAX_WORD_CHARS),
                json.string("upstream", MAX_TEXT_CHARS),
                token,
                json.sha256("sha256"),
                json.integer("bytes", Long.MAX_VALUE),
                json.string("verified", MAX_TEXT_CHARS),
                json.optionalString("imaSignature", MAX_SIGNATURE_CHARS).orElse(null),
                new PartVersions(types, json.has(SYMBOLS_EXTRACTOR) ? version(json, SYMBOLS_EXTRACTOR) : types),
                json.time("extractedAt"));
    }

    private static int version(BundleJson json, String member) throws BundleException {
        String version = json.string(member, 9);
        if (!Pattern.matches("[0-9]{1,9}", version)) {
            throw json.wrong(member, "a version number");
        }
        return Integer.parseInt(version);
    }
}
