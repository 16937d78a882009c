package dev.offsetd.query.gooffsets;

import dev.offsetd.query.gooffsets.TrackedModule.TrackedMember;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** A file that agents read offsets of Go members from. */
public enum OffsetsFormat {

    /**
     * {@code offsets.json} of go-offsets-tracker, which OpenTelemetry eBPF Instrumentation (OBI) and Beyla read: the releases
     * in which an offset changed. A version between two of them has the offset of the earlier one, so a member is left out if
     * programs contradict each other in any release.
     */
    TRACKER {
        @Override
        public long write(OffsetsByVersion offsets, JsonGenerator out) {
            SortedMap<String, SortedMap<String, SortedMap<GoVersion, Long>>> types = new TreeMap<>();
            long omitted = 0;
            for (TrackedModule module : offsets.modules()) {
                for (TrackedMember member : module.members()) {
                    if (offsets.isContradicted(module, member, true)) {
                        omitted++;
                        continue;
                    }
                    SortedMap<GoVersion, Long> releases = releases(offsets.known(module, member));
                    if (!releases.isEmpty()) {
                        types.computeIfAbsent(member.type(), _ -> new TreeMap<>())
                                .put(member.field(), releases);
                    }
                }
            }
            out.writeStartObject();
            out.writeObjectPropertyStart("data");
            types.forEach((type, fields) -> {
                out.writeObjectPropertyStart(type);
                fields.forEach((field, releases) -> writeField(out, field, releases));
                out.writeEndObject();
            });
            out.writeEndObject();
            out.writeEndObject();
            return omitted;
        }

        private SortedMap<GoVersion, Long> releases(SortedMap<GoVersion, @Nullable Long> known) {
            SortedMap<GoVersion, Long> releases = new TreeMap<>();
            known.forEach((version, offset) -> {
                if (version.isRelease() && offset != null) {
                    releases.put(version, offset);
                }
            });
            return releases;
        }

        private void writeField(JsonGenerator out, String field, SortedMap<GoVersion, Long> releases) {
            out.writeObjectPropertyStart(field);
            out.writeObjectPropertyStart("versions");
            out.writeStringProperty("oldest", releases.firstKey().toString());
            out.writeStringProperty("newest", releases.lastKey().toString());
            out.writeEndObject();
            out.writeArrayPropertyStart("offsets");
            Long last = null;
            for (Map.Entry<GoVersion, Long> release : releases.entrySet()) {
                if (!release.getValue().equals(last)) {
                    out.writeStartObject();
                    out.writeNumberProperty("offset", release.getValue());
                    out.writeStringProperty("since", release.getKey().toString());
                    out.writeEndObject();
                }
                last = release.getValue();
            }
            out.writeEndArray();
            out.writeEndObject();
        }
    },

    /**
     * {@code offset_results.json} of OpenTelemetry's Go instrumentation: every version that has an offset, and under null those
     * in which the type lacks the member. Versions in which programs contradict each other are left out.
     */
    RESULTS {
        @Override
        public long write(OffsetsByVersion offsets, JsonGenerator out) {
            long omitted = 0;
            out.writeStartArray();
            for (TrackedModule module : sorted(offsets.modules())) {
                SortedMap<String, SortedMap<String, SortedMap<String, TrackedMember>>> packages = new TreeMap<>();
                for (TrackedMember member : module.members()) {
                    omitted += offsets.contradicted(module, member);
                    if (!offsets.known(module, member).isEmpty()) {
                        packages.computeIfAbsent(member.packagePath(), _ -> new TreeMap<>())
                                .computeIfAbsent(member.typeName(), _ -> new TreeMap<>())
                                .put(member.field(), member);
                    }
                }
                if (!packages.isEmpty()) {
                    out.writeStartObject();
                    out.writeStringProperty("module", module.path());
                    out.writeArrayPropertyStart("packages");
                    packages.forEach((path, types) -> writePackage(out, path, types, offsets, module));
                    out.writeEndArray();
                    out.writeEndObject();
                }
            }
            out.writeEndArray();
            return omitted;
        }

        private List<TrackedModule> sorted(List<TrackedModule> modules) {
            List<TrackedModule> byPath = new ArrayList<>(modules);
            byPath.sort(Comparator.comparing(TrackedModule::path));
            return byPath;
        }

        private void writePackage(
                JsonGenerator out,
                String path,
                SortedMap<String, SortedMap<String, TrackedMember>> types,
                OffsetsByVersion offsets,
                TrackedModule module) {
            out.writeStartObject();
            out.writeStringProperty("package", path);
            out.writeArrayPropertyStart("structs");
            types.forEach((type, fields) -> {
                out.writeStartObject();
                out.writeStringProperty("struct", type);
                out.writeArrayPropertyStart("fields");
                fields.forEach((field, member) -> writeField(out, field, offsets.known(module, member)));
                out.writeEndArray();
                out.writeEndObject();
            });
            out.writeEndArray();
            out.writeEndObject();
        }

        private void writeField(JsonGenerator out, String field, SortedMap<GoVersion, @Nullable Long> known) {
            // Absence is before all offsets.
            SortedMap<Long, List<GoVersion>> versions = new TreeMap<>();
            known.forEach(
                    (version, offset) -> versions.computeIfAbsent(offset == null ? -1L : offset, _ -> new ArrayList<>())
                            .add(version));
            out.writeStartObject();
            out.writeStringProperty("field", field);
            out.writeArrayPropertyStart("offsets");
            versions.forEach((offset, having) -> {
                out.writeStartObject();
                if (offset < 0) {
                    out.writeNullProperty("offset");
                } else {
                    out.writeNumberProperty("offset", offset);
                }
                out.writeArrayPropertyStart("versions");
                having.forEach(version -> out.writeString(version.toString()));
                out.writeEndArray();
                out.writeEndObject();
            });
            out.writeEndArray();
            out.writeEndObject();
        }
    };

    /**
     * Writes the offsets.
     *
     * @return the number of members, or of members in single versions, that are left out because programs contradict each other
     */
    public abstract long write(OffsetsByVersion offsets, JsonGenerator out);
}
