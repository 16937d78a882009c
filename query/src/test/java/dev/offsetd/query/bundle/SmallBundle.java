package dev.offsetd.query.bundle;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.overlay.PinnedValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A bundle of one build with two pins and one type set. Its types and symbols are not real ones. */
final class SmallBundle {

    static final BuildId ID = BuildId.parse("0123456789abcdef0123456789abcdef01234567");
    static final Instant TIME = Instant.parse("2030-01-31T12:00:00Z");

    private static final String SET = """
            {"name": "points", "version": 3, "title": "Points", "items": [{"item": "point.y"}]}""";

    private SmallBundle() {}

    static BuildArchive build(BuildId id) {
        BundledSource source = new BundledSource(
                "debuginfod",
                "https://debuginfod.example",
                null,
                "ab".repeat(32),
                4711,
                "build-id note",
                "0302",
                new PartVersions(12, 13),
                TIME);
        PinnedValue.OfMember member = new PinnedValue.OfMember(8, 1, new PinnedValue.Bits(67, 3), "unsigned");
        BundledPin one = new BundledPin("1", "point.y", member, "seen in gdb", "alice", TIME, null);
        BundledPin other = new BundledPin(
                "2",
                "line",
                new PinnedValue.OfType(8, Map.of("from", new PinnedValue.OfMember(4, 4, null, null))),
                "moved",
                "bob",
                TIME,
                TIME.plusSeconds(60));
        IdentityField name = new IdentityField(IdentityField.Kind.SONAME, "libpoint.so.1", "DT_SONAME", false);
        return new BuildArchive(
                new BundledBuild(
                        id,
                        new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN),
                        source,
                        new Identity(List.of(name)),
                        List.of(BuildId.parseKey("go:abc~def")),
                        List.of(one, other)),
                "types".getBytes(StandardCharsets.UTF_8),
                "symbols".getBytes(StandardCharsets.UTF_8));
    }

    static byte[] bytes() throws IOException, BundleException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BundleWriter bundle = new BundleWriter(out);
        bundle.add(build(ID));
        bundle.addSet("points", SET.getBytes(StandardCharsets.UTF_8));
        bundle.<IOException>finish(
                "0.1.0", TIME, "http://127.0.0.1:8080", manifest -> "a signature".getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }
}
