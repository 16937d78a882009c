package dev.offsetd.cli.file;

import dev.offsetd.extractor.extract.ElfFacts;
import dev.offsetd.extractor.layout.BuildId;
import tools.jackson.core.JsonGenerator;

/** The properties with which every JSON answer about a file begins. */
final class ElfFactsJson {

    private ElfFactsJson() {}

    /** Writes {@code buildId} (null if the file has none) and {@code arch} into the object that is open. */
    static void writeTo(JsonGenerator json, ElfFacts elf) {
        json.writeStringProperty("buildId", elf.buildId().map(BuildId::toString).orElse(null));
        json.writeObjectPropertyStart("arch");
        json.writeStringProperty("machine", elf.architecture().machine());
        json.writeNumberProperty("bits", elf.architecture().bits());
        json.writeStringProperty("byteOrder", elf.architecture().byteOrderName());
        json.writeEndObject();
    }
}
