package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.OTHER_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.outcome.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalFolderSourceTests {

    private static final byte[] FILE = TestElf.of(ID);

    @TempDir
    private Path folder;

    @Test
    void fileIsReadInPlace() throws Exception {
        Path file = install(FILE);
        LocalFolderSource source = source(folder);
        try (CachedFile found = UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE))) {
            assertThat(found.path()).isEqualTo(file);
            assertThat(found.sha256()).isEqualTo(DigestUtils.sha256Hex(Files.readAllBytes(file)));
            assertThat(found.bytes()).isEqualTo(FILE.length);
            assertThat(found.elf().buildId()).isEqualTo(ID);
            assertThat(found.source()).isEqualTo(source.name()).isEqualTo(folder.toString());
        }
        assertThat(file).exists();
        assertThat(source.origin()).isEqualTo(Origin.LOCAL);
    }

    @Test
    void fileThatIsRequestedWithoutItsHashIsVerifiedButNotReadToItsEnd() throws Exception {
        install(FILE);
        try (CachedFile found = UpstreamFixture.fetched(
                source(folder).fetch(FileRequest.unhashed(ID, FileKind.DEBUGINFO, FILE.length)))) {
            assertThat(found.elf().buildId()).isEqualTo(ID);
            assertThatThrownBy(found::sha256).hasMessageContaining("without its hash");
        }
        assertThat(source(folder).fetch(FileRequest.unhashed(ID, FileKind.DEBUGINFO, FILE.length - 1)))
                .returns("too_large", FetchOutcome::word);
    }

    @Test
    void buildIdFolderItselfIsAccepted() throws Exception {
        Path file = install(FILE);
        try (CachedFile found =
                UpstreamFixture.fetched(source(folder.resolve(".build-id")).fetch(ID, FetchProgress.NONE))) {
            assertThat(found.path()).isEqualTo(file);
        }
    }

    @Test
    void symbolicLinkIsFollowed() throws Exception {
        Path elsewhere = Files.write(folder.resolve("libruby.so.debug"), FILE);
        Path link = BuildIdPath.below(folder.resolve(".build-id"), ID);
        Files.createDirectories(link.resolveSibling(""));
        Files.createSymbolicLink(link, elsewhere);
        UpstreamFixture.fetched(source(folder).fetch(ID, FetchProgress.NONE)).close();
    }

    @Test
    void linkThatLeadsNowhereIsAMissAndALoopAFailure() throws Exception {
        Path link = BuildIdPath.below(folder.resolve(".build-id"), ID);
        Files.createDirectories(link.resolveSibling(""));
        Files.createSymbolicLink(link, folder.resolve("absent"));
        assertThat(source(folder).fetch(ID, FetchProgress.NONE))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
        Files.delete(link);
        Files.createSymbolicLink(link, link);
        assertThat(source(folder).fetch(ID, FetchProgress.NONE)).returns("local_failure", FetchOutcome::word);
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("/dev/zero"));
        assertThat(source(folder).fetch(ID, FetchProgress.NONE)).returns("local_failure", FetchOutcome::word);
    }

    @Test
    void missInAFolderIsFinal() throws Exception {
        install(FILE);
        assertThat(source(folder).fetch(OTHER_ID, FetchProgress.NONE))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }

    @Test
    void folderThatDoesNotExistHasNoFiles() throws Exception {
        assertThat(source(folder.resolve("absent")).fetch(ID, FetchProgress.NONE))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }

    @ChecklistRow(30)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../.dwz/x86_64-linux-gnu/common.debug",
                "/usr/lib/debug/.dwz/x86_64-linux-gnu/common.debug",
                "x86_64-linux-gnu/../common.debug",
                "common.debug"
            })
    void supplementaryFileIsFoundByItsName(String name) throws Exception {
        Path dwz = Files.createDirectories(folder.resolve(".dwz/x86_64-linux-gnu"));
        Path file = Files.write(
                name.contains("x86_64-linux-gnu/common")
                        ? dwz.resolve("common.debug")
                        : folder.resolve(".dwz/common.debug"),
                FILE);
        try (CachedFile found =
                UpstreamFixture.fetched(source(folder).fetchSupplementary(new SupplementaryLink(name, ID)))) {
            assertThat(found.path()).isEqualTo(file);
        }
        assertThat(source(folder).fetchSupplementary(new SupplementaryLink(name, OTHER_ID)))
                .as("a file of that name that is another build's")
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }

    @ChecklistRow(30)
    @Test
    void supplementaryFileIsFoundByItsBuildId() throws Exception {
        install(FILE);
        UpstreamFixture.fetched(source(folder).fetchSupplementary(new SupplementaryLink("common.debug", ID)))
                .close();
    }

    @ChecklistRow(5)
    @ParameterizedTest
    @ValueSource(strings = {".dwz/../../secret.debug", ".dwz//etc/passwd", ".dwz/.", "", "..", ".dwz/\0"})
    void nameOfASupplementaryFileCannotLeaveItsFolder(String name) throws Exception {
        Path inside = Files.createDirectories(folder.resolve("debug/.build-id"));
        Files.write(folder.resolve("secret.debug"), FILE);
        assertThat(source(inside.resolveSibling("")).fetchSupplementary(new SupplementaryLink(name, ID)))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }

    @Test
    void fileOfAnotherBuildIsBrokenAndNamesBoth() throws Exception {
        Path file = install(TestElf.of(OTHER_ID));
        assertThat(source(folder).fetch(ID, FetchProgress.NONE))
                .isEqualTo(FetchOutcome.broken(
                        file + ": .note.gnu.build-id: NT_GNU_BUILD_ID is " + OTHER_ID + "; expected " + ID));
    }

    @Test
    void truncatedFileIsBroken() throws Exception {
        install(Arrays.copyOf(FILE, FILE.length / 2));
        assertThat(source(folder).fetch(ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
    }

    @Test
    void fileOverTheLimitIsTooLarge() throws Exception {
        Path file = install(FILE);
        assertThat(new LocalFolderSource(folder, FILE.length - 1, UpstreamFixture.VERIFICATION)
                        .fetch(ID, FetchProgress.NONE))
                .isEqualTo(FetchOutcome.tooLarge(file + " has " + FILE.length + " bytes"));
        UpstreamFixture.fetched(new LocalFolderSource(folder, FILE.length, UpstreamFixture.VERIFICATION)
                        .fetch(ID, FetchProgress.NONE))
                .close();
    }

    @Test
    void irregularFileIsALocalFailure() throws Exception {
        Path file = BuildIdPath.below(folder.resolve(".build-id"), ID);
        Files.createDirectories(file);
        assertThat(source(folder).fetch(ID, FetchProgress.NONE))
                .isEqualTo(FetchOutcome.diskFailed(file + " is not a regular file that can be read"));
    }

    @Test
    void failingDiskIsALocalFailure() throws Exception {
        install(FILE);
        FileVerification failing = new FileVerification(
                _ -> {
                    throw new IOException("input/output error");
                },
                UpstreamFixture.THREADS);
        assertThat(new LocalFolderSource(folder, FILE.length, failing).fetch(ID, FetchProgress.NONE))
                .isEqualTo(FetchOutcome.diskFailed("java.io.IOException: input/output error"));
    }

    private Path install(byte[] bytes) throws IOException {
        Path file = BuildIdPath.below(folder.resolve(".build-id"), ID);
        Files.createDirectories(file.resolveSibling(""));
        return Files.write(file, bytes);
    }

    private static LocalFolderSource source(Path folder) {
        return new LocalFolderSource(folder, UpstreamFixture.MAX_FILE_BYTES, UpstreamFixture.VERIFICATION);
    }
}
