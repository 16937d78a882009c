package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of real programs, compared with other tools. */
class FileKeysIntegrationTests {

    /** The hash as OpenTelemetry's specification defines it. */
    private static final String HTLHASH = """
            import hashlib, struct, sys
            data = open(sys.argv[1], "rb").read()
            ends = data[:4096] + data[-4096:] + struct.pack(">Q", len(data))
            print(hashlib.sha256(ends).hexdigest()[:32])
            """;

    @TempDir
    private Path folder;

    private static List<String> keys(Path file) throws Exception {
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::keys).all().stream()
                .map(BuildId::toString)
                .toList();
    }

    private static String line(String tool, Object... arguments) throws IOException {
        return RequiredTool.require(tool).output(arguments).strip();
    }

    private static String htl(Path file) throws IOException {
        return "htl:" + line("python3", "-c", HTLHASH, file);
    }

    private static String sha256(Path file) throws IOException {
        return "sha256:" + line("sha256sum", file).substring(0, 64);
    }

    @Test
    void keysOfAGoProgramAreThoseOfOtherTools() throws Exception {
        Path go = RequiredTool.require("go").path().toRealPath();
        String goBuildId = line("go", "tool", "buildid", go);

        assertThat(keys(go)).contains("go:" + goBuildId.replace('/', '~'), htl(go), sha256(go));
    }

    @Test
    void stripKeepsTheBuildIdsAndChangesTheHashes() throws Exception {
        Path source = Files.writeString(folder.resolve("answer.c"), "int answer(void) { return 42; }\n");
        Path full = folder.resolve("libanswer.so");
        Path stripped = folder.resolve("stripped.so");
        Path debug = folder.resolve("answer.debug");
        line("gcc", "-g", "-shared", "-fPIC", "-Wl,--build-id=0x0011223344556677", "-o", full, source);
        line("strip", "-o", stripped, full);
        line("objcopy", "--only-keep-debug", full, debug);

        assertThat(keys(full)).containsExactly("0011223344556677", htl(full), sha256(full));
        assertThat(keys(stripped)).containsExactly("0011223344556677", htl(stripped), sha256(stripped));
        assertThat(keys(debug)).containsExactly("0011223344556677", sha256(debug));
    }
}
