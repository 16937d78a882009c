package dev.offsetd.query.bundle;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Bundles, and archives of single builds. With an even first byte the rest of the input is an archive. Checksums and hashes keep
 * nearly all of those from getting far, so with an odd one it is the manifest or, after the bit above, the description of a build.
 */
@ChecklistRow(1)
class BundleFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(data, 1, data.length);
        Path file = Files.createTempFile("bundle", ".tar");
        try {
            Files.write(file, rest);
            HostileRun.answer("bundle", HostileRun.allocationBound(data.length), () -> {
                try {
                    return read(data[0], file, rest);
                } catch (BundleException e) {
                    String message = String.valueOf(e.getMessage());
                    if (message.isBlank() || message.chars().anyMatch(Character::isISOControl)) {
                        throw new IllegalStateException("refused without a message that can be shown", e);
                    }
                    return -1;
                }
            });
        } finally {
            Files.delete(file);
        }
    }

    private static int read(int kind, Path file, byte[] rest) throws IOException, BundleException {
        switch (kind & 3) {
            case 0 -> {
                try (Bundle bundle = Bundle.open(file)) {
                    bundle.verify();
                    bundle.sets(new BuiltInTypeSets());
                    return bundle.manifest().builds().size();
                }
            }
            case 2 -> {
                return BuildArchive.read(file, SmallBundle.ID).types().length;
            }
            case 1 -> {
                return BundleManifest.read(rest).files().size();
            }
            default -> {
                BundlePath path = BundlePath.of(SmallBundle.ID, BundlePath.Part.BUILD);
                return BundledBuild.read(path, rest)
                        .activePins(SmallBundle.TIME)
                        .size();
            }
        }
    }
}
