package dev.offsetd.server.query;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.PinMark;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.pins.BuildPins;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** What answers about a stored build have in common, whatever was asked. */
public final class AnswerParts {

    /** Version of the form of answers. */
    public static final int SCHEMA_VERSION = 1;

    /** The name under which {@code provenance} has the debug file. */
    public static final String SOURCE = "p1";

    private AnswerParts() {}

    /**
     * Writes what an answer begins with into the object that is open: which build it is about.
     *
     * @param file empty if nothing is stored of the build
     */
    public static void writeHead(JsonGenerator out, BuildId id, Optional<StoredFile> file) {
        out.writeNumberProperty("schemaVersion", SCHEMA_VERSION);
        if (file.filter(AnswerParts::isStale).isPresent()) {
            out.writeBooleanProperty("stale", true);
        }
        out.writeStringProperty("buildId", id.toString());
        file.ifPresent(known -> writeArchitecture(out, known.architecture()));
    }

    /** The same about a build that is stored. */
    public static void writeHead(JsonGenerator out, BuildId id, StoredFile file) {
        writeHead(out, id, Optional.of(file));
    }

    /** Whether an earlier extractor has read the file, so that the answer may be out of date. */
    public static boolean isStale(StoredFile file) {
        return file.extractorVersion() < OffsetExtractor.VERSION;
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
     * Writes the property {@code provenance}: where the values come from.
     *
     * @param file that types or symbols come from; empty if nothing is stored of the build
     * @param marks of the pins that had a say
     */
    public static void writeProvenance(
            JsonGenerator out, Optional<StoredFile> file, BuildPins pins, Collection<PinMark> marks) {
        out.writeObjectPropertyStart("provenance");
        file.ifPresent(known -> writeSource(out, known));
        pins.writeProvenance(out, marks);
        out.writeEndObject();
    }

    /** The same for answers that pins have no say in. */
    public static void writeProvenance(JsonGenerator out, StoredFile file) {
        writeProvenance(out, Optional.of(file), BuildPins.NONE, List.of());
    }

    private static void writeSource(JsonGenerator out, StoredFile file) {
        out.writeObjectPropertyStart(SOURCE);
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
        out.writeStringProperty("extractor", Integer.toString(file.extractorVersion()));
        out.writeStringProperty("extractedAt", file.extractedAt().toString());
        out.writeEndObject();
    }
}
