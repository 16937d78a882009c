package dev.offsetd.server.exports;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.web.ContentCoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * Everything that the bytes of an export depend on.
 *
 * @param generation of the build; pins and extractions change it
 * @param extractorVersion extractor that read the file
 * @param sha256 of the debug file
 * @param request items, options, and facts that are stored beside the types
 */
record Export(
        BuildId id, long generation, int extractorVersion, String sha256, ServedFormat format, List<String> request) {

    /** Hex digits of a revision. */
    static final int REVISION_LENGTH = 32;

    Export {
        request = List.copyOf(request);
    }

    /** Returns the name of the bytes. */
    String revision() {
        List<String> facts = new ArrayList<>(List.of(
                id.toString(),
                Long.toString(generation),
                Integer.toString(extractorVersion),
                sha256,
                format.word(),
                Integer.toString(format.version())));
        facts.addAll(request);
        return digest(facts).substring(0, REVISION_LENGTH);
    }

    /** Returns the path of the revision, without a slash in front. */
    String path() {
        return "v1/exports/" + id + "/" + relativePath();
    }

    /** Returns the path relative to that of the export without a revision. */
    String relativePath() {
        return format.word() + "/r/" + revision() + "/" + format.fileName();
    }

    /** Returns the key in a content coding among the rendered files. */
    String key(ContentCoding coding) {
        return key(id, format, revision(), coding);
    }

    /** Returns the key of a revision in a content coding among the rendered files. */
    static String key(BuildId id, ServedFormat format, String revision, ContentCoding coding) {
        return digest(List.of(id.toString(), format.word(), revision, coding.token()));
    }

    /** The length of each text keeps texts apart, whatever characters they have. */
    private static String digest(List<String> texts) {
        StringBuilder all = new StringBuilder();
        texts.forEach(text -> all.append(text.length()).append(':').append(text));
        return DigestUtils.sha256Hex(all.toString().getBytes(StandardCharsets.UTF_8));
    }
}
