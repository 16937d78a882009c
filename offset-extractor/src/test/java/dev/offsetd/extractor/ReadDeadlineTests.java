package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The deadline of a reading ends every loop over something that a file controls, in every thread. */
class ReadDeadlineTests {

    private static final int MANY = 20_000;

    /** Fewer than the loops make in 20,000 steps, more than all else in the reading of such a file. */
    private static final int CHECKS = 40;

    @TempDir
    private static Path folder;

    static Stream<Arguments> files() {
        return Stream.of(
                file("sections", DebugInfo::facts),
                file("defined versions", DebugInfo::symbolTables),
                file("needed versions", DebugInfo::symbolTables),
                file("relocations of debug information", DebugInfo::extractAll),
                file("relocations of a program", DebugInfo::tlsAccess),
                file("function descriptors", DebugInfo::symbolTables));
    }

    private static Arguments file(String structure, DebugInfo.Reading<?> reading) {
        return Arguments.of(structure, reading);
    }

    private static byte[] made(Map<String, IntFunction<byte[]>> structures, String name) {
        return Objects.requireNonNull(structures.get(name), name).apply(MANY);
    }

    @ParameterizedTest
    @MethodSource("files")
    void deadlineThatPassesInALoopEndsTheReading(String structure, DebugInfo.Reading<?> reading) throws IOException {
        Path file = Files.write(folder.resolve("file"), made(SectionStructures.files(), structure));
        assertThatThrownBy(() -> Deadline.afterChecks(CHECKS)
                        .during(() -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), reading)))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(Deadline.MAX_DURATION));
    }

    @ParameterizedTest
    @ValueSource(strings = {"types", "relocations", "sections", "members of a type that must match"})
    void deadlineThatPassesInALoopEndsTheReadingOfAProgram(String structure) {
        byte[] program = made(SectionStructures.programs(), structure);
        assertThatThrownBy(() -> Deadline.afterChecks(CHECKS).during(() -> BpfObject.program(program)))
                .isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void searchForALineTableOfGoEndsAtTheDeadline() throws IOException {
        byte[] program = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".go.buildinfo", new byte[32])
                .section(".data.rel.ro", new byte[1 << 20])
                .toBytes();
        Path file = Files.write(folder.resolve("program"), program);
        assertThatThrownBy(() -> Deadline.afterChecks(CHECKS)
                        .during(() -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::allFrames)))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(Deadline.MAX_DURATION));
    }

    @Test
    void threadsThatReadUnitsHaveTheDeadlineOfTheReading() throws IOException {
        Deadline deadline = new Deadline(Duration.ofHours(1));
        List<Deadline> seen = new CopyOnWriteArrayList<>();
        Runnable task = () -> seen.add(Deadline.currentOr(Limits.DEFAULT));
        deadline.during(() -> {
            UnitThreads.run(Collections.nCopies(3, task));
            return "";
        });
        assertThat(seen).hasSize(3).containsOnly(deadline);
    }
}
