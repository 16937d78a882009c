package dev.offsetd.extractor.extract;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.catalogue.CatalogueWriter;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.Fixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files that are broken in ways that nobody thought of: real ones, cut and changed with a fixed random seed. Each gives
 * an answer or an {@link ExtractionException}, and nothing else, in good time.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostileInputTests {

    private static final long SEED = 20_261_120;
    private static final Wanted WANTED = new Wanted(Set.of("nested", "bits", "point", "local_only"), Set.of("GREEN"));
    private static final OffsetExtractor EXTRACTOR =
            new OffsetExtractor(Limits.DEFAULT.withMaxDuration(Duration.ofSeconds(10)), 2);

    @TempDir
    private Path folder;

    static Stream<Fixture> seeds() {
        return Stream.of(
                        "gcc12-dwarf5-x86_64-el",
                        "gcc12-dwarf3-s390x-eb",
                        "clang14-dwarf5-x86_64-el",
                        "gcc12-dwarf5-typeunits-el",
                        "gcc12-dwarf5-dwz-el",
                        "gcc12-dwarf5-format64-el",
                        "gcc12-dwarf5-zlib-el",
                        "gcc12-dwarf5-zstd-el",
                        "gcc12-dwarf3-i386-el")
                .map(Fixture::named);
    }

    private void assertAnswerOrRefusal(byte[] bytes, String what) throws IOException {
        Path file = Files.write(folder.resolve("hostile"), bytes);
        for (Reading reading : List.<Reading>of(
                target -> EXTRACTOR.inspect(target).architecture(),
                target -> EXTRACTOR.extract(target, WANTED).types(),
                target -> CatalogueWriter.encode(EXTRACTOR.extractAll(target).types()),
                target -> EXTRACTOR.forEachDefinition(
                        target, definition -> assertThat(definition.name()).isNotNull()))) {
            try {
                reading.read(file);
            } catch (ExtractionException e) {
                assertThat(e.getMessage()).as(what).isNotBlank().doesNotContain("\n");
            } catch (RuntimeException | Error e) {
                throw new AssertionError(what + " made " + e, e);
            }
        }
    }

    @FunctionalInterface
    private interface Reading {
        void read(Path file) throws IOException, ExtractionException;
    }

    /** Sixty structs, each holding the one before twice: 2^60 members for whoever does not share them. */
    @Test
    void typesHeldTwiceDoNotMultiply() throws IOException {
        List<Part> dies = new ArrayList<>();
        dies.add(baseType("s0", 4, DW_ATE_signed));
        for (int i = 1; i <= 60; i++) {
            String before = "s" + (i - 1);
            dies.add(struct("s" + i, 8, member("left", before, 0), member("right", before, 4)));
        }
        assertAnswerOrRefusal(
                DwarfWriter.write(DwarfStyle.DEFAULT, unit(dies.toArray(Part[]::new)))
                        .toElf()
                        .toBytes(),
                "types held twice");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void fileCutAtEvery64thByteIsAnAnswerOrARefusal(Fixture fixture) throws IOException {
        byte[] whole = Files.readAllBytes(fixture.debugFile());
        for (int length = 0; length < whole.length; length += 64) {
            assertAnswerOrRefusal(Arrays.copyOf(whole, length), fixture + " cut to " + length + " bytes");
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void fileWithRandomBytesIsAnAnswerOrARefusal(Fixture fixture) throws IOException {
        byte[] whole = Files.readAllBytes(fixture.debugFile());
        Random random = new Random(SEED);
        for (int variant = 0; variant < 100; variant++) {
            byte[] changed = whole.clone();
            StringBuilder changes = new StringBuilder(fixture.toString());
            int count = 1 + random.nextInt(8);
            for (int i = 0; i < count; i++) {
                int at = random.nextInt(changed.length);
                changed[at] = hostileByte(random);
                changes.append(' ').append(at).append('=').append(HexFormat.of().toHexDigits(changed[at]));
            }
            assertAnswerOrRefusal(changed, changes.toString());
        }
    }

    /** Zeros, ones, signs and ends of ranges hurt more than any other byte. */
    private static byte hostileByte(Random random) {
        byte[] favourites = {0, 1, 0x7f, (byte) 0x80, (byte) 0xff, 0x16, 0x21};
        return random.nextBoolean() ? favourites[random.nextInt(favourites.length)] : (byte) random.nextInt(256);
    }
}
