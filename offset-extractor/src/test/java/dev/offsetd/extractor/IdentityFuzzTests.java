package dev.offsetd.extractor;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.identity.FileNames;
import dev.offsetd.extractor.identity.Probes;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.identity.scan.CompilationIdentity;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/**
 * Names of a build. The first byte of the input chooses the section that has the rest, or that the rest is a name or
 * an attribute of a unit.
 */
@ChecklistRow(1)
class IdentityFuzzTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1)
            .withProbes(new Probes(
                    List.of(
                            new VersionProbe("a", "a", ".rodata", "a ({any}) {version}.", ""),
                            new VersionProbe("b", "b", ".rodata", "{version}", ".b-{major}{minor}-")),
                    List.of(
                            new VariantToken("a", "symbol", VariantToken.Evidence.SYMBOL, "a"),
                            new VariantToken("a", "size", VariantToken.Evidence.SIZE, "bc"),
                            new VariantToken("a", "text", VariantToken.Evidence.TEXT, "a ("))));

    private static final List<String> SECTIONS =
            List.of(".dynamic", ".dynstr", ".note.package", ".go.buildinfo", ".modinfo", ".rodata", ".comment");

    private static final int SHT_NOTE = 7;

    @TempDir
    private static Path folder;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(data, 1, data.length);
        int choice = Byte.toUnsignedInt(data[0]) % (SECTIONS.size() + 1);
        if (choice == SECTIONS.size()) {
            String text = new String(rest, StandardCharsets.UTF_8);
            HostileRun.answer("names", HostileRun.allocationBound(rest.length), () -> {
                CompilationIdentity units = new CompilationIdentity();
                units.add(text, text, text, 1);
                return units.identity()
                        .merge(FileNames.ofFile(text, text))
                        .merge(FileNames.ofArchive(text, text))
                        .title();
            });
            return;
        }
        ElfWriter elf = new ElfWriter((data[0] & 0x80) == 0 ? 64 : 32, ByteOrder.LITTLE_ENDIAN)
                .section(".init.text", new byte[1]);
        if (choice == 1) {
            elf.section(".dynamic", new byte[] {14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
        }
        if (choice == 4) {
            elf.section(".gnu.linkonce.this_module", new byte[1]);
        }
        if (choice == 5) {
            elf.section(".dynsym", rest).section(".dynstr", rest);
        }
        String name = SECTIONS.get(choice);
        byte[] bytes = choice == 2
                ? elf.section(name, SHT_NOTE, 0, 0, 0, rest).toBytes()
                : elf.section(name, rest).toBytes();
        Path file = Files.write(folder.resolve("named"), bytes);
        HostileRun.answer(
                "identity",
                HostileRun.allocationBound(bytes.length),
                () -> DebugInfo.read(file, OPTIONS, DebugInfo::identity));
    }
}
