package dev.offsetd.query.bundle;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import java.io.ByteArrayOutputStream;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Description of a bundled build: everything but its types and symbols.
 *
 * @param architecture null, as the source, if the build has neither types nor symbols
 * @param aliases other keys of the build
 * @param pins active when the bundle was made, in the order in which they apply
 */
public record BundledBuild(
        BuildId id,
        @Nullable Architecture architecture,
        @Nullable BundledSource source,
        Identity identity,
        List<BuildId> aliases,
        List<BundledPin> pins) {

    static final JsonFactory JSON = new JsonFactory();

    /** Number in the key of the first pin; the debug file has the one before. */
    private static final int FIRST_PIN = 2;

    /** Most active pins of a build. The import of as many takes 12 seconds, in one transaction. */
    public static final int MAX_PINS = 1_000;

    private static final int MAX_ALIASES = 100;
    private static final int MAX_KEY_CHARS = 300;
    private static final int MAX_MACHINE_CHARS = 100;

    public BundledBuild {
        if ((architecture == null) != (source == null)) {
            throw new IllegalArgumentException("architecture and source of a build go together");
        }
        aliases = List.copyOf(aliases);
        pins = List.copyOf(pins);
    }

    /** Returns the pins that are still in effect, by the keys that servers give them in the provenance of answers. */
    public SequencedMap<String, BundledPin> activePins(Instant now) {
        SequencedMap<String, BundledPin> active = new LinkedHashMap<>();
        pins.stream()
                .filter(pin -> pin.isActive(now))
                .forEach(pin -> active.put("p" + (FIRST_PIN + active.size()), pin));
        return active;
    }

    /** Writes the property {@code arch}, if the build has one. */
    public void writeArchitecture(JsonGenerator out) {
        if (architecture == null) {
            return;
        }
        out.writeObjectPropertyStart("arch");
        out.writeStringProperty("machine", architecture.machine());
        out.writeNumberProperty("bits", architecture.bits());
        out.writeStringProperty("byteOrder", architecture.byteOrderName());
        out.writeEndObject();
    }

    byte[] toJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
            out.writeStartObject();
            out.writeStringProperty("buildId", id.toString());
            writeArchitecture(out);
            if (source != null) {
                out.writeName("source");
                source.write(out);
            }
            out.writeArrayPropertyStart("identity");
            for (IdentityField field : identity.fields()) {
                out.writeStartObject();
                out.writeStringProperty("kind", field.kind().wireName());
                out.writeStringProperty("value", field.value());
                out.writeStringProperty("source", field.source());
                out.writeBooleanProperty("derived", field.derived());
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeArrayPropertyStart("aliases");
            aliases.forEach(alias -> out.writeString(alias.toString()));
            out.writeEndArray();
            out.writeArrayPropertyStart("pins");
            pins.forEach(pin -> pin.write(out));
            out.writeEndArray();
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }

    /** Parses the file of a build; the path says which. */
    static BundledBuild read(BundlePath path, byte[] content) throws BundleException {
        BundleJson json = BundleJson.parse(path, content);
        BuildId id = path.build();
        if (!json.string("buildId", MAX_KEY_CHARS).equals(id.toString())) {
            throw json.wrong("buildId", id.toString());
        }
        List<BuildId> aliases = new ArrayList<>();
        for (String alias : json.strings("aliases", MAX_ALIASES, MAX_KEY_CHARS)) {
            try {
                aliases.add(BuildId.parseKey(alias));
            } catch (IllegalArgumentException e) {
                throw json.wrong("aliases", "keys of builds: " + e.getMessage());
            }
        }
        List<BundledPin> pins = new ArrayList<>();
        for (BundleJson pin : json.objects("pins", MAX_PINS)) {
            pins.add(BundledPin.read(pin));
        }
        boolean isFromFile = json.has("source") || json.has("arch");
        return new BundledBuild(
                id,
                isFromFile ? architecture(json.object("arch")) : null,
                isFromFile ? BundledSource.read(json.object("source")) : null,
                identity(json.objects("identity", Identity.MAX_FIELDS)),
                aliases,
                pins);
    }

    private static Architecture architecture(BundleJson json) throws BundleException {
        long bits = json.integer("bits", 64);
        String order = json.string("byteOrder", 6);
        if (bits != 32 && bits != 64) {
            throw json.wrong("bits", "32 or 64");
        }
        if (!order.equals("little") && !order.equals("big")) {
            throw json.wrong("byteOrder", "little or big");
        }
        return new Architecture(
                json.string("machine", MAX_MACHINE_CHARS),
                (int) bits,
                order.equals("little") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    /** Leaves out kinds that only a later release knows. */
    private static Identity identity(List<BundleJson> fields) throws BundleException {
        List<IdentityField> known = new ArrayList<>();
        for (BundleJson field : fields) {
            Optional<IdentityField.Kind> kind = IdentityField.Kind.named(field.string("kind", IdentityField.MAX_CHARS));
            if (kind.isPresent()) {
                known.add(new IdentityField(
                        kind.get(),
                        // In UTF-16 units, and the limit is in code points.
                        field.string("value", 2 * IdentityField.MAX_CHARS),
                        field.string("source", 2 * IdentityField.MAX_CHARS),
                        field.bool("derived")));
            }
        }
        return new Identity(known);
    }
}
