package dev.offsetd.server.startup.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup file is either complete or absent, and readable by its owner only. */
class NewFileTests {

    @TempDir
    private Path folder;

    private void write(Path place, boolean replace) throws Exception {
        try (NewFile file = NewFile.at(place, replace)) {
            try (OutputStream out = file.content()) {
                out.write(new byte[] {1, 2, 3});
            }
            assertThat(file.size()).isEqualTo(3);
            file.finish();
        }
    }

    @Test
    void onlyItsOwnerReadsIt() throws Exception {
        write(folder.resolve("new"), false);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("new"))))
                .isEqualTo("rw-------");
        assertThat(folder).isDirectoryContaining("glob:**/new");
        assertThat(folder.toFile().list()).containsExactly("new");
    }

    @Test
    void fileThatIsThereGoesOnlyIfTold() throws Exception {
        Path there = Files.writeString(folder.resolve("there"), "old");
        assertThatThrownBy(() -> NewFile.at(there, false))
                .isInstanceOf(NewFile.OutputException.class)
                .hasMessageContaining("the file exists");
        assertThat(there).hasContent("old");
        write(there, true);
        assertThat(there).hasBinaryContent(new byte[] {1, 2, 3});
    }

    @Test
    void fileThatAppearsMeanwhileIsNotWrittenOver() throws Exception {
        Path place = folder.resolve("place");
        try (NewFile file = NewFile.at(place, false)) {
            file.content().close();
            Files.writeString(place, "theirs");
            assertThatThrownBy(file::finish).isInstanceOf(NewFile.OutputException.class);
        }
        assertThat(place).hasContent("theirs");
        assertThat(folder.toFile().list()).containsExactly("place");
    }

    /** Another account may guess the temporary name in a folder that both can write to. */
    @Test
    void nothingIsWrittenThroughALinkOrIntoAFileOfOthers() throws Exception {
        Path victim = Files.writeString(folder.resolve("victim"), "theirs");
        Path temporary =
                folder.resolve("backup.unfinished-" + ProcessHandle.current().pid());
        Files.createSymbolicLink(temporary, victim);
        write(folder.resolve("backup"), false);
        Files.createFile(temporary);
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rw-rw-rw-"));
        write(folder.resolve("backup"), true);

        assertThat(victim).hasContent("theirs");
        assertThat(folder.resolve("backup")).hasBinaryContent(new byte[] {1, 2, 3});
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("backup"))))
                .isEqualTo("rw-------");
    }

    @Test
    void whatIsNotFinishedLeavesNothing() throws Exception {
        try (NewFile file = NewFile.at(folder.resolve("half"), false)) {
            file.content().write(1);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void placeThatCannotBeWrittenIsNamed() {
        assertThatThrownBy(() -> NewFile.at(folder.resolve("no/such/folder"), false))
                .isInstanceOf(NewFile.OutputException.class)
                .hasMessageContaining("no/such/folder: cannot be written");
        assertThatThrownBy(() -> NewFile.at(folder, true)).hasMessageContaining("a folder");
    }
}
