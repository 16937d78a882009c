package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.LimitsWith;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DebugInfoTests {

    private static final Path FILE = Fixture.named("gcc12-dwarf5-x86_64-el").debugFile();

    @TempDir
    private Path folder;

    @Test
    void memberHasItsByteOffset() throws Exception {
        try (DebugInfo info = DebugInfo.open(FILE)) {
            Struct nested = info.struct("nested").orElseThrow();
            assertThat(nested.byteSize()).isEqualTo(64);
            assertThat(nested.member("origin").byteOffset()).isEqualTo(4);
            assertThat(info.buildId()).isPresent();
            assertThat(info.architecture().bits()).isEqualTo(64);
        }
    }

    @Test
    void membersOfUnnamedStructsCountFromTheOutermost() throws Exception {
        try (DebugInfo info = DebugInfo.open(FILE)) {
            Struct nested = info.struct("nested").orElseThrow();
            long outer = nested.member("as_int").byteOffset();
            assertThat(nested.member("high").byteOffset()).isEqualTo(outer + 1);
            assertThat(nested.member("deepest").byteOffset())
                    .isEqualTo(nested.member("deep").byteOffset() + 8);
            assertThat(nested.findMember("only_here")).isEmpty();
        }
    }

    @Test
    void structIsTheSameBeforeAndAfterEverythingIsRead() throws Exception {
        try (DebugInfo info = DebugInfo.open(FILE)) {
            Struct before = info.struct("point").orElseThrow();
            assertThat(info.types().map(Definition::name)).contains("point", "nested", "colour");
            assertThat(info.struct("point"))
                    .hasValueSatisfying(after -> assertThat(after.shape()).isEqualTo(before.shape()));
        }
    }

    @Test
    void missingNamesAreEmptyOrNamedInTheException() throws Exception {
        try (DebugInfo info = DebugInfo.open(FILE)) {
            assertThat(info.struct("no_such_struct")).isEmpty();
            Struct point = info.struct("point").orElseThrow();
            assertThatThrownBy(() -> point.member("z"))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessage("point has no member named \"z\"");
        }
    }

    @Test
    void bitFieldWithinAByteHasNoByteOffset() throws Exception {
        try (DebugInfo info = DebugInfo.open(FILE)) {
            Member b = info.struct("bits").orElseThrow().member("b");
            assertThat(b.isBitField()).isTrue();
            assertThatThrownBy(b::byteOffset).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void symbolsOfEveryTableAreStreamed() throws Exception {
        try (DebugInfo info = DebugInfo.open(FILE)) {
            List<Symbol> expected =
                    DebugInfo.read(FILE, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::symbolTables).tables().stream()
                            .flatMap(List::stream)
                            .toList();
            assertThat(info.symbols()).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void sectionsAreDecompressedOnce() throws Exception {
        Path compressed = Fixture.named("gcc12-dwarf5-zlib-el").debugFile();
        Limits limits = LimitsWith.of("maxDecompressedBytes", 1 << 16);
        try (DebugInfo info = DebugInfo.open(compressed, new ReadOptions(limits, 1))) {
            for (int i = 0; i < 50; i++) {
                assertThat(info.struct("point")).isPresent();
            }
        }
    }

    @Test
    void threadsShareAFile() throws Exception {
        for (int threads : List.of(1, 2)) {
            try (DebugInfo info = DebugInfo.open(FILE, new ReadOptions(Limits.DEFAULT, threads))) {
                Callable<Optional<Struct>> reading = () -> info.struct("point");
                try (ExecutorService callers = Executors.newFixedThreadPool(4)) {
                    for (Future<Optional<Struct>> read : callers.invokeAll(Collections.nCopies(8, reading))) {
                        assertThat(read.get()).isPresent();
                    }
                }
            }
        }
    }

    @Test
    void closedFileIsNotRead() throws Exception {
        DebugInfo info = DebugInfo.open(FILE);
        info.close();
        assertThatThrownBy(info::types)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void limitsHold() {
        assertThatThrownBy(() -> DebugInfo.open(FILE, new ReadOptions(Limits.DEFAULT.withMaxFileBytes(100), 1)))
                .isInstanceOf(LimitExceededException.class);
    }

    @Test
    void fileThatIsNotElfIsRefusedWhenItIsOpened() throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "x".repeat(100));
        assertThatThrownBy(() -> DebugInfo.open(text)).isInstanceOf(MalformedInputException.class);
    }
}
