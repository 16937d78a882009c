package dev.offsetd.server.answers;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.answer.AnswerWriter;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.pins.BuildPins;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Members that the answers of all queries share. */
public final class AnswerParts {

    /** Version of the JSON schema of answers. */
    public static final int SCHEMA_VERSION = AnswerWriter.SCHEMA_VERSION;

    /** Key of the debug file in {@code provenance}. */
    public static final String SOURCE = "p1";

    /** Key of the file with the symbols of a build whose types other builds answer, in {@code provenance}. */
    public static final String OWN_SYMBOLS = "p0";

    private AnswerParts() {}

    /** Writes the first members of an answer. The file is null if the build is not stored. */
    public static void writeHead(JsonGenerator out, BuildId id, @Nullable StoredFile file) {
        writeHead(out, id, file, file != null && isStale(file));
    }

    /** Writes the first members of an answer that may be out of date for another reason than its file. */
    public static void writeHead(JsonGenerator out, BuildId id, @Nullable StoredFile file, boolean stale) {
        out.writeNumberProperty("schemaVersion", SCHEMA_VERSION);
        if (stale) {
            out.writeBooleanProperty("stale", true);
        }
        out.writeStringProperty("buildId", id.toString());
        if (file != null) {
            writeArchitecture(out, file.architecture());
        }
    }

    /** Returns whether an earlier extractor read the file, so that answers may be out of date. */
    public static boolean isStale(StoredFile file) {
        return file.versions().areBehind(PartVersions.CURRENT);
    }

    /** Writes the property {@code arch}. */
    public static void writeArchitecture(JsonGenerator out, Architecture architecture) {
        out.writeObjectPropertyStart("arch");
        out.writeStringProperty("machine", architecture.machine());
        out.writeNumberProperty("bits", architecture.bits());
        out.writeStringProperty("byteOrder", architecture.byteOrderName());
        out.writeEndObject();
    }

    /**
     * Writes the property {@code provenance}.
     *
     * @param file with the types or symbols; null if the build is not stored
     * @param marks of the pins that affect the answer
     */
    public static void writeProvenance(
            JsonGenerator out, @Nullable StoredFile file, BuildPins pins, Collection<AppliedPin> marks) {
        out.writeObjectPropertyStart("provenance");
        if (file != null) {
            writeSource(out, file);
        }
        pins.writeProvenance(out, marks);
        out.writeEndObject();
    }

    /** Writes the property {@code provenance} of an answer that pins do not affect. */
    public static void writeProvenance(JsonGenerator out, StoredFile file) {
        writeProvenance(out, file, BuildPins.NONE, List.of());
    }

    /** Writes the file into the object {@code provenance}, which is open. */
    public static void writeSource(JsonGenerator out, StoredFile file) {
        writeSource(out, SOURCE, file);
    }

    /** Writes a file into the object {@code provenance}, which is open, under a key. */
    public static void writeSource(JsonGenerator out, String key, StoredFile file) {
        out.writeObjectPropertyStart(key);
        out.writeStringProperty("origin", file.origin().word());
        out.writeStringProperty("upstream", file.upstream());
        Upload upload = file.upload();
        if (upload != null) {
            out.writeObjectPropertyStart("token");
            if (upload.token() != null) {
                out.writeStringProperty("id", upload.token().toString());
            }
            out.writeStringProperty("label", upload.label());
            out.writeEndObject();
        }
        out.writeStringProperty("sha256", file.sha256());
        out.writeStringProperty("verified", file.verified());
        if (file.imaSignature() != null) {
            out.writeStringProperty("imaSignature", file.imaSignature());
        }
        out.writeStringProperty("extractor", Integer.toString(file.versions().types()));
        out.writeStringProperty("extractedAt", file.extractedAt().toString());
        out.writeEndObject();
    }
}
