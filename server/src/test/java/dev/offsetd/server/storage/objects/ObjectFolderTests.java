package dev.offsetd.server.storage.objects;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectFolderTests {

    @TempDir
    private Path folder;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static StoredObject object(String text) {
        return StoredObject.of(bytes(text));
    }

    /** A link would count and remove files of others; one that leads nowhere, or a folder, would stop the start. */
    @Test
    @ChecklistRow(37)
    void onlyRegularFilesAreObjects() throws Exception {
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Path others = Files.writeString(elsewhere.resolve("others"), "linked");
        Path objects = Files.createDirectory(folder.resolve("objects"));
        Path link = Files.createSymbolicLink(objects.resolve(object("linked").sha256()), others);
        Files.createSymbolicLink(objects.resolve(object("nowhere").sha256()), folder.resolve("absent"));
        Files.createDirectory(objects.resolve(object("folder").sha256()));
        Path stale = Files.createSymbolicLink(objects.resolve("tmp-1"), others);

        ObjectFolder opened = ObjectFolder.open(objects, 1000);

        for (String name : new String[] {"linked", "nowhere", "folder"}) {
            assertThat(opened.read(object(name), 0, 1)).as(name).isEmpty();
        }
        assertThat(opened.bytes()).isZero();
        assertThat(stale).isSymbolicLink();
        opened.add(object("linked"), bytes("linked"));
        assertThat(opened.read(object("linked"), 0, 6)).hasValue(bytes("linked"));
        assertThat(link).isRegularFile().isNotEqualTo(others);
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(others).hasContent("linked");
        opened.discard(object("linked").sha256());
        assertThat(others).exists();
    }

    @Test
    @ChecklistRow(37)
    void linkInPlaceOfAnObjectIsNeverRead() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        ObjectFolder objects = ObjectFolder.open(folder.resolve("objects"), 1000);
        objects.add(object("object"), bytes("object"));
        Path file = folder.resolve("objects").resolve(object("object").sha256());
        Files.delete(file);
        Files.createSymbolicLink(file, secret);

        ObjectFolder reopened = ObjectFolder.open(folder.resolve("objects"), 1000);

        assertThat(reopened.read(object("object"), 0, 6)).isEmpty();
        assertThat(secret).hasContent("secret");
    }
}
