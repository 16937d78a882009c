package dev.offsetd.server.exports;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.query.gooffsets.GoVersion;
import dev.offsetd.query.gooffsets.OffsetsByVersion;
import dev.offsetd.query.gooffsets.OffsetsFormat;
import dev.offsetd.query.gooffsets.TrackedModule;
import dev.offsetd.query.gooffsets.TrackedModule.TrackedMember;
import dev.offsetd.server.testkit.HostileBody;
import dev.offsetd.server.web.Representation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lists of Go members, and the tables of offsets that answer them. */
class GoMembersBodyFuzzTests {

    private static final GoVersion VERSION = GoVersion.parse("1.40.0").orElseThrow();

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileBody.read(data, request -> {
            List<TrackedModule> modules = GoOffsetsController.modules(request);
            OffsetsByVersion offsets = new OffsetsByVersion(modules);
            List<String> texts = new ArrayList<>();
            for (TrackedModule module : modules) {
                texts.add(module.path());
                for (TrackedMember member : module.members()) {
                    texts.add(member.item());
                    offsets.add(module, member, VERSION, 8L, 0, "a");
                }
            }
            requireMembers(offsets);
            return texts;
        });
    }

    /** Requires that the tables have each member that is needed in the version. */
    private static void requireMembers(OffsetsByVersion offsets) {
        JsonNode tracker = table(offsets, OffsetsFormat.TRACKER).path("data");
        JsonNode results = table(offsets, OffsetsFormat.RESULTS);
        long needed = 0;
        for (TrackedModule module : offsets.modules()) {
            for (TrackedMember member : module.members()) {
                boolean isNeeded = (member.oldest() == null || VERSION.compareTo(member.oldest()) >= 0)
                        && (member.newest() == null || VERSION.compareTo(member.newest()) <= 0);
                needed += isNeeded ? 1 : 0;
                if (isNeeded
                        != tracker.path(member.type())
                                .path(member.field())
                                .path("offsets")
                                .path(0)
                                .has("offset")) {
                    throw new AssertionError("offset of " + member + " is in the table: " + !isNeeded);
                }
            }
        }
        long listed = results.findValues("field").size();
        if (listed != needed) {
            throw new AssertionError(needed + " members have an offset, " + listed + " are listed");
        }
    }

    private static JsonNode table(OffsetsByVersion offsets, OffsetsFormat format) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = Representation.JSON.generator(bytes)) {
            format.write(offsets, out);
        }
        return JsonMapper.shared().readTree(bytes.toByteArray());
    }
}
