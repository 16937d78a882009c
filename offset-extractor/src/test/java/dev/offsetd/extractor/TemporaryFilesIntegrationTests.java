package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.extractor.testkit.SmallDisk;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readings whose temporary files are on a full disk. Needs permission to mount one. */
@ChecklistRow(16)
class TemporaryFilesIntegrationTests {

    private static final DwarfSections SECTIONS = DwarfWriter.write(DwarfStyle.DEFAULT, unit(struct("point", 8)));

    @TempDir
    private Path folder;

    @Test
    void compressedFileOnAFullDiskIsAnIoFailure() throws IOException {
        Path file = folder.resolve("file");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write(SECTIONS.toElf().toBytes());
        }
        assertFailsOnAFullDisk(file);
    }

    @Test
    void compressedSectionOnAFullDiskIsAnIoFailure() throws IOException {
        ElfWriter elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN);
        for (String name : List.of(".debug_info", ".debug_abbrev", ".debug_str")) {
            elf.compressed(name, SECTIONS.section(name), ElfWriter.ELFCOMPRESS_ZLIB);
        }
        assertFailsOnAFullDisk(elf.writeTo(folder.resolve("file")));
    }

    private void assertFailsOnAFullDisk(Path file) throws IOException {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        try (SmallDisk _ = SmallDisk.over(temporary, "size=64k")) {
            Path ballast = temporary.resolve("ballast");
            assertThatThrownBy(() -> Files.write(ballast, new byte[128 << 10])).hasMessageContaining("No space left");
            assertThat(answer(file, temporary)).contains("IOException: ", "No space left on device");
            assertThat(temporary.toFile().list()).containsExactly("ballast");

            Files.delete(ballast);
            assertThat(answer(file, temporary)).contains("found: true");
            assertThat(temporary).isEmptyDirectory();
        }
    }

    /** Reads the file in a separate process, because a JVM looks up its folder for temporary files once. */
    private static String answer(Path file, Path temporary) throws IOException {
        return RequiredTool.at(Path.of(System.getProperty("java.home"), "bin", "java"))
                .output(
                        "-Djava.io.tmpdir=" + temporary,
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TemporaryFilesIntegrationTests.class.getName(),
                        file);
    }

    /** Prints whether a file has the struct, or why it cannot be read; sections never fit into memory. */
    public static void main(String[] arguments) throws ExtractionException {
        ReadOptions options = new ReadOptions(Limits.DEFAULT.withMaxHeapSectionBytes(1), 1);
        try {
            boolean found = DebugInfo.read(
                    Path.of(arguments[0]), options, info -> info.struct("point").isPresent());
            System.out.println("found: " + found);
        } catch (IOException e) {
            System.out.println(e);
        }
    }
}
