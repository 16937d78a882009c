package dev.offsetd.server.exports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportFilesTests {

    @TempDir
    private Path folder;

    private static String key(String name) {
        return DigestUtils.sha256Hex(name);
    }

    private static void make(ExportFiles files, String name, String text, long omitted) throws IOException {
        files.make(key(name), out -> {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
            return omitted;
        });
    }

    private static String text(ExportFile file) throws IOException {
        try (file) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            file.writeTo(out, 0, file.length());
            return out.toString(StandardCharsets.US_ASCII);
        }
    }

    private List<String> stored() throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.map(path -> String.valueOf(path.getFileName())).toList();
        }
    }

    @Test
    void fileSurvivesARestart() throws IOException {
        make(ExportFiles.open(folder, 1000), "a", "text", 3);
        ExportFiles reopened = ExportFiles.open(folder, 1000);
        ExportFile file = reopened.find(key("a")).orElseThrow();
        assertThat(file.etag()).isEqualTo('"' + DigestUtils.sha256Hex("text") + '"');
        assertThat(file.omitted()).isEqualTo(3);
        assertThat(text(file)).isEqualTo("text");
        assertThat(reopened.bytes()).isEqualTo(4);
    }

    @Test
    void leastRecentlyUsedFileIsEvictedAndStaysReadable() throws IOException {
        ExportFiles files = ExportFiles.open(folder, 10);
        make(files, "a", "aaaa", 0);
        make(files, "b", "bbbb", 0);
        try (ExportFile used = files.find(key("a")).orElseThrow()) {
            ExportFile evicted = files.find(key("b")).orElseThrow();
            files.find(key("a")).orElseThrow().close();
            make(files, "c", "cccc", 0);
            assertThat(files.find(key("b"))).isEmpty();
            assertThat(text(evicted)).isEqualTo("bbbb");
            assertThat(text(used)).isEqualTo("aaaa");
        }
        assertThat(files.bytes()).isEqualTo(8);
        assertThat(stored()).hasSize(2);
    }

    /** A link would send any file of this account to readers; one that leads nowhere, or a pipe, would stop the start. */
    @Test
    @ChecklistRow(37)
    void onlyRegularFilesAreExports() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        String hash = "ab".repeat(32);
        Path link = Files.createSymbolicLink(folder.resolve(key("link") + "-" + hash + "-0"), secret);
        Files.createSymbolicLink(folder.resolve(key("nowhere") + "-" + hash + "-0"), folder.resolve("absent"));
        Files.createDirectory(folder.resolve(key("folder") + "-" + hash + "-0"));
        Path stale = Files.createFile(folder.resolve("tmp-1"));
        Path others = Files.createFile(
                Files.createDirectory(folder.resolve("tmp-of-others")).resolve("file"));

        ExportFiles files = ExportFiles.open(folder, 1000);

        for (String name : List.of("link", "nowhere", "folder")) {
            assertThat(files.find(key(name))).as(name).isEmpty();
        }
        assertThat(stale).doesNotExist();
        assertThat(others).exists();
        make(files, "link", "text", 0);
        assertThat(text(files.find(key("link")).orElseThrow())).isEqualTo("text");
        assertThat(secret).hasContent("secret");
        assertThat(link).isSymbolicLink();
    }

    @Test
    void failedRenderingLeavesNothing() throws IOException {
        ExportFiles files = ExportFiles.open(folder, 1000);
        assertThatThrownBy(() -> files.make(key("a"), out -> {
                    out.write(1);
                    throw new IllegalStateException("corrupt");
                }))
                .hasMessage("corrupt");
        assertThat(files.find(key("a"))).isEmpty();
        assertThat(stored()).isEmpty();
    }

    @Test
    void exportLargerThanTheFolderFails() throws IOException {
        ExportFiles files = ExportFiles.open(folder, 10);
        assertThatThrownBy(() -> make(files, "a", "more than ten", 0))
                .isInstanceOf(ExportFiles.TooLargeException.class)
                .hasMessageContaining("10 bytes");
        assertThat(stored()).isEmpty();
    }

    @Test
    void incompleteFilesOfADeadProcessAreRemoved() throws IOException {
        Files.writeString(folder.resolve("tmp-123"), "half");
        Files.writeString(folder.resolve("of another program"), "x");
        assertThat(ExportFiles.open(folder, 1000).bytes()).isZero();
        assertThat(stored()).containsExactly("of another program");
    }

    @Test
    void deletedFileIsMadeAgain() throws IOException {
        ExportFiles files = ExportFiles.open(folder, 1000);
        make(files, "a", "text", 0);
        Files.delete(folder.resolve(stored().getFirst()));
        assertThat(files.find(key("a"))).isEmpty();
        make(files, "a", "text", 0);
        assertThat(text(files.find(key("a")).orElseThrow())).isEqualTo("text");
    }

    @Test
    void rangeOfBytesIsWritten() throws IOException {
        ExportFiles files = ExportFiles.open(folder, 1 << 20);
        make(files, "a", "0123456789".repeat(20_000), 0);
        try (ExportFile file = files.find(key("a")).orElseThrow()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            file.writeTo(out, 65_533, 7);
            assertThat(out.toString(StandardCharsets.US_ASCII)).isEqualTo("3456789");
        }
    }
}
