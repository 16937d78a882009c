package dev.offsetd.extractor.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedMember;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The last word on the fixtures' ground truth has the compiler: what it lays down in memory. Offsets and sizes come from
 * {@code offsetof} and {@code sizeof}; a bit-field's place from an object in which only that field is all ones.
 */
class CompilerIntegrationTests {

    /** Names that mean another type inside a function, or exist there only. */
    private static final Set<String> LOCAL = Set.of("local_only", "local_in_block");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "gcc12-dwarf5-x86_64-el, gcc, objcopy, -m64",
        "gcc12-dwarf5-i386-el, gcc, objcopy, -m32",
        "gcc12-dwarf5-s390x-eb, s390x-linux-gnu-gcc, s390x-linux-gnu-objcopy, -m64"
    })
    void expectationsAreWhatTheCompilerLaysDown(String name, String compiler, String objcopy, String flag)
            throws IOException {
        Fixture fixture = Fixture.named(name);
        List<ExpectedDefinition> types = fixture.expected().stream()
                .filter(type -> type.unit().equals("layout.c") && !type.kind().equals("enum"))
                .filter(type -> !LOCAL.contains(type.name()))
                .filter(type -> type.members().stream().noneMatch(member -> "not_the_global_one".equals(member.name())))
                .toList();
        List<Long> expected = new ArrayList<>();
        List<Field> bitFields = new ArrayList<>();
        StringBuilder numbers = new StringBuilder();
        for (ExpectedDefinition type : types) {
            String tag = type.kind() + " " + type.name();
            numbers.append("sizeof(").append(tag).append("),\n");
            expected.add(type.size());
            for (ExpectedMember member : type.members()) {
                if (member.name() == null) {
                    continue;
                }
                if (member.bitSize() != null) {
                    bitFields.add(new Field(tag, member));
                    continue;
                }
                numbers.append("__builtin_offsetof(%s, %s) * 8,\n".formatted(tag, member.name()));
                expected.add(member.bitOffset());
                if (member.counts() == null || !member.counts().contains(null)) {
                    numbers.append("sizeof(((%s *)0)->%s),\n".formatted(tag, member.name()));
                    expected.add(member.size());
                }
            }
        }
        StringBuilder source = new StringBuilder("#include \"layout.c\"\n");
        source.append("__attribute__((section(\".numbers\"))) const unsigned long long numbers[] = {\n")
                .append(numbers)
                .append("};\n");
        for (int i = 0; i < bitFields.size(); i++) {
            source.append("__attribute__((section(\".bits%d\"))) const %s bits%d = {.%s = -1};\n"
                    .formatted(
                            i, bitFields.get(i).tag, i, bitFields.get(i).member.name()));
        }
        Path probe = Files.writeString(folder.resolve("probe.c"), source);
        Path object = folder.resolve("probe.o");
        RequiredTool.require(compiler)
                .output(flag, "-O0", "-w", "-I", fixture.folder().resolveSibling("."), "-c", probe, "-o", object);

        ByteBuffer laidDown =
                ByteBuffer.wrap(section(objcopy, object, ".numbers")).order(fixture.order());
        List<Long> actual = new ArrayList<>();
        while (laidDown.hasRemaining()) {
            actual.add(laidDown.getLong());
        }
        assertThat(actual).isEqualTo(expected).hasSizeGreaterThan(100);
        assertThat(bitFields).hasSizeGreaterThan(15);
        for (int i = 0; i < bitFields.size(); i++) {
            ExpectedMember member = bitFields.get(i).member;
            assertThat(ones(section(objcopy, object, ".bits" + i), fixture.order()))
                    .as("%s of %s", member.name(), bitFields.get(i).tag)
                    .isEqualTo(bitsOf(member));
        }
    }

    private byte[] section(String objcopy, Path object, String section) throws IOException {
        Path out = folder.resolve("section.bin");
        RequiredTool.require(objcopy).output("-O", "binary", "-j", section, object, out);
        return Files.readAllBytes(out);
    }

    /** The bits that are set, counted in memory order: from the lowest bit of a byte, or from the highest. */
    private static List<Long> ones(byte[] bytes, ByteOrder order) {
        List<Long> ones = new ArrayList<>();
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            int inByte = order == ByteOrder.LITTLE_ENDIAN ? bit % 8 : 7 - bit % 8;
            if ((bytes[bit / 8] >> inByte & 1) == 1) {
                ones.add((long) bit);
            }
        }
        return ones;
    }

    private static List<Long> bitsOf(ExpectedMember member) {
        Long first = member.bitOffset();
        Integer count = member.bitSize();
        List<Long> bits = new ArrayList<>();
        for (long bit = 0; first != null && count != null && bit < count; bit++) {
            bits.add(first + bit);
        }
        return bits;
    }

    private record Field(String tag, ExpectedMember member) {}
}
