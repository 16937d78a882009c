package dev.offsetd.packages.repositories;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.packages.Archives;
import dev.offsetd.packages.repositories.RepositoryDescription.Kind;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderRepositoryTests {

    @TempDir
    private Path folder;

    @TempDir
    private Path copies;

    private final PublishedFiles web = new PublishedFiles();

    private static byte[] elf(int number) {
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(new byte[] {1, 2, 3, 4, 5, 6, 7, (byte) number})
                .section(".data", new byte[300])
                .toBytes();
    }

    private Repository repository(List<String> names, List<String> files) {
        return new RepositoryDescription(
                        Kind.FOLDER, folder.toUri().toString(), null, List.of(), List.of(), names, files, null)
                .repository(web, copies);
    }

    @Test
    void programsAndPackagesAreEntriesAndLinksAreNot() throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.write(folder.resolve("a/b/prog"), elf(1));
        Files.write(
                folder.resolve("lib.deb"),
                Archives.deb(
                        Map.of("./usr/lib/libx.so", elf(2), "./usr/bin/x", elf(3), "./usr/share/doc", new byte[9])));
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("a/b/prog"));
        Repository repository = repository(List.of(), List.of("*.so", "a/b/*"));

        Listing listing = repository.list(null);

        assertThat(listing.entries()).extracting(RepositoryEntry::location).containsExactly("a/b/prog", "lib.deb");
        assertThat(repository.open(listing.entries().get(0), copies))
                .extracting(PackageFile::place)
                .containsExactly("a/b/prog");
        assertThat(repository.open(listing.entries().get(1), copies))
                .extracting(PackageFile::buildId)
                .containsExactly(BuildId.parse("0102030405060702"));
        assertThat(repository.list(listing.state()).unchanged()).isTrue();
    }

    @Test
    void changedFileHasAnotherKey() throws IOException {
        Path file = Files.write(folder.resolve("prog"), elf(1));
        Repository repository = repository(List.of("pro?"), List.of());
        Listing first = repository.list(null);
        Files.write(file, Archives.gzip(elf(2)));

        Listing second = repository.list(first.state());

        assertThat(second.unchanged()).isFalse();
        assertThat(second.entries().getFirst().key())
                .isNotEqualTo(first.entries().getFirst().key());
    }

    @Test
    void packageThatEndsEarlySaysSo() throws IOException {
        byte[] whole = Archives.gzip(elf(2));
        for (int bytes : List.of(11, whole.length - 12)) {
            Files.write(folder.resolve("prog.gz"), Arrays.copyOf(whole, bytes));
            Repository repository = repository(List.of(), List.of());

            assertThatThrownBy(() ->
                            repository.open(repository.list(null).entries().getFirst(), copies))
                    .isInstanceOf(RepositoryException.class)
                    .hasMessageContaining("\"prog.gz\": it ends too early");
        }
    }

    @Test
    void diskFaultInAPackageDoesNotLoseItsBuilds() throws IOException {
        Files.write(folder.resolve("lib.deb"), Archives.deb(Map.of("./usr/bin/x", elf(1))));
        Repository repository = repository(List.of(), List.of());
        RepositoryEntry entry = repository.list(null).entries().getFirst();

        assertThatThrownBy(() -> repository.open(entry, copies.resolve("missing")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void fileThatWasDeletedAfterTheListingIsNoFaultOfTheDisk() throws IOException {
        Path file = Files.write(folder.resolve("prog"), elf(1));
        Repository repository = repository(List.of(), List.of());
        RepositoryEntry entry = repository.list(null).entries().getFirst();
        Files.delete(file);

        assertThatThrownBy(() -> repository.open(entry, copies))
                .isInstanceOf(RepositoryException.class)
                .hasMessage("\"prog\" cannot be read");
    }

    @Test
    void folderMayBeNamedByAnotherPath() throws IOException {
        Files.write(Files.createDirectories(folder.resolve("real")).resolve("prog"), elf(1));
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("real"));
        for (String path : List.of("real/../real", "link/../link", "link")) {
            Repository repository = new RepositoryDescription(
                            Kind.FOLDER, folder.toUri() + path, null, List.of(), List.of(), List.of(), List.of(), null)
                    .repository(web, copies);
            assertThat(repository.open(repository.list(null).entries().getFirst(), copies))
                    .hasSize(1);
        }
    }

    @Test
    void locationOutsideOfTheFolderIsRefused() {
        RepositoryEntry outside = new RepositoryEntry("key", "x", "", "", "../x", 1, List.of());

        assertThatThrownBy(() -> repository(List.of(), List.of()).open(outside, copies))
                .isInstanceOf(RepositoryException.class)
                .hasMessageContaining("\"../x\" is not below");
    }
}
