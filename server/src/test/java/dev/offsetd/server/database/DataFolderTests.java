package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTests {

    private static final int NOBODY = 65534;

    @TempDir
    private Path parent;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void chmod(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    @ChecklistRow(37)
    void folderThatIsOpenIsClosedWithWhatIsInIt() throws Exception {
        Path folder = Files.createDirectory(parent.resolve("data"));
        Path programs = Files.createDirectory(folder.resolve("postgres-bin"));
        Path password = Files.writeString(folder.resolve("postgres.password"), "secret");
        Path other = Files.writeString(folder.resolve("notes"), "not the server's");
        chmod(programs, "rwxrwxrwx");
        chmod(password, "rw-r--r--");
        chmod(other, "rw-r--r--");
        chmod(folder, "rwxr-xr-x");

        assertThat(DataFolder.makePrivate(folder))
                .hasValueSatisfying(change -> assertThat(change).contains(folder.toString(), "rwxr-xr-x", "0700"));

        assertThat(mode(folder)).isEqualTo("rwx------");
        assertThat(mode(programs)).isEqualTo("rwx------");
        assertThat(mode(password)).isEqualTo("rw-------");
        assertThat(mode(other)).isEqualTo("rw-r--r--");
        assertThat(DataFolder.makePrivate(folder)).isEmpty();
    }

    @Test
    void folderThatIsMadeIsPrivateWithItsParents() throws Exception {
        Path folder = parent.resolve("new/data");
        assertThat(DataFolder.makePrivate(folder)).isEmpty();
        assertThat(mode(folder)).isEqualTo("rwx------");
        assertThat(mode(parent.resolve("new"))).isEqualTo("rwx------");
    }

    @Test
    @ChecklistRow(37)
    void folderThatEveryAccountCanReplaceIsRefused() throws Exception {
        Path shared = Files.createDirectory(parent.resolve("shared"));
        Path folder = Files.createDirectory(shared.resolve("data"));
        chmod(shared, "rwxrwxrwx");
        assertThatThrownBy(() -> DataFolder.makePrivate(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("chmod o-w " + shared.toRealPath());
        // The same through a link from a safe place.
        Path link = Files.createSymbolicLink(parent.resolve("link"), folder);
        assertThatThrownBy(() -> DataFolder.makePrivate(link)).hasMessageContaining("chmod o-w");
        Files.setAttribute(shared, "unix:mode", 01777);
        assertThat(DataFolder.makePrivate(folder)).isPresent();
    }

    @Test
    @ChecklistRow(37)
    void linkToAPlaceThatEveryAccountCanReplaceIsRefused() throws Exception {
        Path folder = Files.createDirectory(parent.resolve("data"));
        Path shared = Files.createDirectory(parent.resolve("shared"));
        Path cache = Files.createDirectory(shared.resolve("cache"));
        Files.createSymbolicLink(folder.resolve("cache"), cache);
        assertThat(DataFolder.makePrivate(folder)).isPresent();
        assertThat(mode(cache)).as("a part that is kept elsewhere").isEqualTo("rwx------");
        chmod(shared, "rwxrwxrwx");
        assertThatThrownBy(() -> DataFolder.makePrivate(folder)).hasMessageContaining("chmod o-w");
    }

    @Test
    @ChecklistRow(37)
    void folderOrContentOfAnotherAccountIsRefused() throws Exception {
        Path folder = Files.createDirectory(parent.resolve("data"));
        Path password = Files.writeString(folder.resolve("postgres.password"), "theirs");
        assumeThat(isRoot(folder)).as("only root can give files away").isTrue();
        Files.setAttribute(password, "unix:uid", NOBODY);
        assertThatThrownBy(() -> DataFolder.makePrivate(folder))
                .hasMessageContaining("postgres.password belongs to")
                .hasMessageContaining("chown -hR");
        Files.delete(password);
        Files.setAttribute(folder, "unix:uid", NOBODY);
        assertThatThrownBy(() -> DataFolder.makePrivate(folder)).hasMessageContaining("data belongs to");
    }

    private static boolean isRoot(Path file) throws IOException {
        return Integer.valueOf(0).equals(Files.getAttribute(file, "unix:uid"));
    }
}
