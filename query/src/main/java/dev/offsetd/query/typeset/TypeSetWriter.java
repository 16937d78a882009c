package dev.offsetd.query.typeset;

import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.Need;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Writes type sets as {@link TypeSetParser} reads them, without defaults. */
public final class TypeSetWriter {

    private TypeSetWriter() {}

    public static void write(JsonGenerator out, TypeSet set) {
        write(out, set, false);
    }

    /** Writes a set, and whether it is retired, over which the parser reads. */
    public static void write(JsonGenerator out, TypeSet set, boolean retired) {
        out.writeStartObject();
        out.writeStringProperty("name", set.name());
        out.writeNumberProperty("version", set.version());
        out.writeStringProperty("title", set.title());
        if (!set.versions().isEmpty()) {
            out.writeArrayPropertyStart("versions");
            set.versions().forEach(out::writeString);
            out.writeEndArray();
        }
        writeProbes(out, set);
        writeVariants(out, set);
        out.writeArrayPropertyStart("items");
        for (TypeSetEntry entry : set.entries()) {
            out.writeStartObject();
            switch (entry) {
                case TypeSetEntry.SingleEntry one ->
                    out.writeStringProperty("item", one.item().text());
                case TypeSetEntry.GroupEntry group -> {
                    out.writeStringProperty("group", group.name());
                    out.writeArrayPropertyStart("oneOf");
                    group.oneOf().forEach(way -> writeItems(out, way));
                    out.writeEndArray();
                }
            }
            if (entry.need() != Need.REQUIRED) {
                out.writeStringProperty("need", entry.need().word());
            }
            if (entry.note() != null) {
                out.writeStringProperty("note", entry.note());
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        writeMaps(out, set);
        if (retired) {
            out.writeBooleanProperty("retired", true);
        }
        out.writeEndObject();
    }

    private static void writeMaps(JsonGenerator out, TypeSet set) {
        if (set.maps().isEmpty()) {
            return;
        }
        out.writeObjectPropertyStart("maps");
        for (NameMap map : set.maps()) {
            out.writeObjectPropertyStart(map.name());
            out.writeStringProperty("title", map.title());
            out.writeName("names");
            writeNames(out, map.names());
            if (!map.oneOf().isEmpty()) {
                out.writeArrayPropertyStart("oneOf");
                map.oneOf().forEach(alternative -> writeNames(out, alternative));
                out.writeEndArray();
            }
            out.writeEndObject();
        }
        out.writeEndObject();
    }

    private static void writeNames(JsonGenerator out, List<MappedName> names) {
        out.writeStartObject();
        for (MappedName name : names) {
            out.writeName(name.name());
            writeSource(out, name.source());
        }
        out.writeEndObject();
    }

    private static void writeSource(JsonGenerator out, MappedName.ValueSource source) {
        out.writeStartObject();
        switch (source) {
            case MappedName.ConstantSource(long value) -> out.writeNumberProperty("constant", value);
            case MappedName.ItemSource(Measure measure, Item item, var ifAbsent) -> {
                out.writeStringProperty(measure.word(), item.text());
                if (ifAbsent != null) {
                    out.writeNumberProperty("ifAbsent", ifAbsent);
                }
            }
            case MappedName.CalculatedSource calculated -> {
                out.writeArrayPropertyStart(calculated.operation().word());
                writeSource(out, calculated.left());
                writeSource(out, calculated.right());
                out.writeEndArray();
            }
        }
        out.writeEndObject();
    }

    private static void writeProbes(JsonGenerator out, TypeSet set) {
        if (set.probes().isEmpty()) {
            return;
        }
        out.writeArrayPropertyStart("probes");
        for (VersionProbe probe : set.probes()) {
            out.writeStartObject();
            out.writeStringProperty("text", probe.text());
            if (!probe.section().equals(VersionProbe.RODATA)) {
                out.writeStringProperty("section", probe.section());
            }
            if (!probe.project().equals(set.name())) {
                out.writeStringProperty("project", probe.project());
            }
            if (!probe.requires().isEmpty()) {
                out.writeStringProperty("requires", probe.requires());
            }
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void writeVariants(JsonGenerator out, TypeSet set) {
        if (set.variants().isEmpty()) {
            return;
        }
        out.writeArrayPropertyStart("variants");
        for (VariantToken token : set.variants()) {
            out.writeStartObject();
            out.writeStringProperty("token", token.name());
            out.writeStringProperty(token.evidence().word(), token.value());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void writeItems(JsonGenerator out, List<Item> items) {
        out.writeStartArray();
        for (Item item : items) {
            out.writeString(item.text());
        }
        out.writeEndArray();
    }
}
