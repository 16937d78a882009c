package dev.offsetd.cli.file;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.MissingUnit;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** The first properties of every JSON answer about a file. */
public final class ElfFactsJson {

    private ElfFactsJson() {}

    /** Also writes {@code missing}, with the files of omitted units, if there are any. */
    public static void writeTo(JsonGenerator json, ExtractionReport report) {
        writeTo(json, report.elf());
        writeMissing(json, report.missing());
    }

    public static void writeMissing(JsonGenerator json, List<MissingUnit> missing) {
        if (missing.isEmpty()) {
            return;
        }
        json.writeArrayPropertyStart("missing");
        for (MissingUnit unit : missing) {
            json.writeStartObject();
            json.writeStringProperty("file", unit.file());
            json.writeStringProperty("dwoId", "%016x".formatted(unit.dwoId()));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes {@code identity} as servers do, unless nothing is known. */
    public static void writeIdentity(JsonGenerator json, Identity identity) {
        if (identity.fields().isEmpty()) {
            return;
        }
        json.writeObjectPropertyStart("identity");
        json.writeStringProperty("title", identity.title());
        json.writeArrayPropertyStart("fields");
        for (IdentityField field : identity.fields()) {
            json.writeStartObject();
            json.writeStringProperty("kind", field.kind().wireName());
            json.writeStringProperty("value", field.value());
            json.writeStringProperty("source", field.source());
            json.writeBooleanProperty("derived", field.derived());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Writes {@code buildId} (null if the file has none) and {@code arch}. */
    public static void writeTo(JsonGenerator json, ElfFacts elf) {
        json.writeStringProperty(
                "buildId", elf.buildId() == null ? null : elf.buildId().toString());
        json.writeObjectPropertyStart("arch");
        json.writeStringProperty("machine", elf.architecture().machine());
        json.writeNumberProperty("bits", elf.architecture().bits());
        json.writeStringProperty("byteOrder", elf.architecture().byteOrderName());
        json.writeEndObject();
    }
}
