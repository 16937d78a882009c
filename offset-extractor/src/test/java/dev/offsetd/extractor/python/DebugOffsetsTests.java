package dev.offsetd.extractor.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DebugOffsetsTests {

    private static final int SIZE_OF_3_14 = 760;
    private static final int VERSION = 8;
    private static final int FREE_THREADED = 16;
    private static final int NUMBERS = 24;

    /** Returns where the table of CPython 3.14 has a number. */
    private static int place(String name) {
        List<String> names =
                OffsetTable.of(14).stream().map(OffsetTable.Entry::name).toList();
        assertThat(names).contains(name);
        return NUMBERS + names.indexOf(name) * Long.BYTES;
    }

    /** A table in which each size is 400 and each offset 16, except for some. */
    private static ByteBuffer table(ByteOrder order) {
        ByteBuffer table = ByteBuffer.allocate(SIZE_OF_3_14).order(order);
        table.put("xdebugpy".getBytes(StandardCharsets.US_ASCII))
                .putLong(0x030e_02f0)
                .putLong(0);
        for (OffsetTable.Entry entry : OffsetTable.of(14)) {
            boolean size = entry.meanings().stream().anyMatch(OffsetTable.Meaning.Size.class::isInstance);
            table.putLong(size ? 400 : 16);
        }
        assertThat(table.hasRemaining()).isFalse();
        return table.putLong(place("interpreter_state.size"), 600)
                .putLong(place("interpreter_state.gil_runtime_state_locked"), 24);
    }

    private static List<Definition> read(ByteBuffer table) throws ExtractionException {
        return DebugOffsets.definitions(
                new Section(DebugOffsets.SECTION, MemorySegment.ofBuffer(table.rewind()), table.order()));
    }

    private static AggregateShape shape(List<Definition> definitions, String name) {
        return definitions.stream()
                .filter(definition -> definition.name().equals(name))
                .map(definition -> (AggregateShape) definition.shape().peeled())
                .findFirst()
                .orElseThrow();
    }

    private static Member member(AggregateShape shape, String name) {
        return shape.members().stream()
                .filter(member -> name.equals(member.name()))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LITTLE_ENDIAN", "BIG_ENDIAN"})
    void structHasTheMembersInTheTableAndAPlaceForTheOthers(String order) throws ExtractionException {
        ByteBuffer table = table("BIG_ENDIAN".equals(order) ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        AggregateShape thread = shape(read(table.putLong(place("thread_state.prev"), 8)), "_ts");

        assertThat(thread.byteSize()).isEqualTo(400);
        assertThat(member(thread, "prev").byteOffset()).isEqualTo(8);
        assertThat(member(thread, "prev").type().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
        assertThat(thread.members().getLast().name()).isNull();
        assertThat(thread.members().getLast().location()).isInstanceOf(MemberLocation.Computed.class);
    }

    @Test
    void structHasItsTagAndTypedef() throws ExtractionException {
        List<Definition> definitions = read(table(ByteOrder.LITTLE_ENDIAN));

        assertThat(definitions).extracting(Definition::name).contains("_ts", "PyThreadState", "PyTupleObject");
        assertThat(shape(definitions, "PyThreadState")).isEqualTo(shape(definitions, "_ts"));
    }

    @Test
    void memberOfAMemberCountsFromIt() throws ExtractionException {
        AggregateShape interpreter = shape(read(table(ByteOrder.LITTLE_ENDIAN)), "_is");

        AggregateShape lock = (AggregateShape) member(interpreter, "_gil").type();
        assertThat(member(lock, "locked").byteOffset()).isEqualTo(8);
        assertThat(lock.byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
    }

    @Test
    void membersOfFreeThreadedBuildsAreInNoOthers() throws ExtractionException {
        ByteBuffer table =
                table(ByteOrder.LITTLE_ENDIAN).putLong(place("interpreter_state.gil_runtime_state_enabled"), 0);
        assertThat(shape(read(table), "_gil_runtime_state").members())
                .extracting(Member::name)
                .doesNotContain("enabled");

        table.putLong(FREE_THREADED, 1);
        assertThat(member(shape(read(table), "_gil_runtime_state"), "enabled").byteOffset())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "0x030c08f0, 3.12.8",
        "0x031000f0, 3.16.0",
        "0x030f00b3, 3.15.0b3",
        "0x030d00c2, 3.13.0rc2",
        "0x020e00f0, 2.14.0",
        "0x1030e00f0, 0x1030e00f0"
    })
    void otherVersionIsUnsupported(String version, String name) {
        ByteBuffer table = table(ByteOrder.LITTLE_ENDIAN).putLong(VERSION, Long.decode(version));

        assertThatThrownBy(() -> read(table))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining(".PyRuntime+0x8: debug offsets of CPython " + name + " are not supported");
    }

    @Test
    void sectionWithoutTheCookieIsUnsupported() {
        ByteBuffer table = table(ByteOrder.LITTLE_ENDIAN).put(0, (byte) 'y');

        assertThatThrownBy(() -> read(table)).isInstanceOf(UnsupportedInputException.class);
    }

    @Test
    void tableMustBeWhole() {
        byte[] table = table(ByteOrder.LITTLE_ENDIAN).array();
        for (int length = 0; length < table.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(table, length)).order(ByteOrder.LITTLE_ENDIAN);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(ExtractionException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "thread_state.size, 0, thread_state.size is 0",
        "thread_state.size, 16777217, thread_state.size is 16777217; expected at most 16777216",
        "thread_state.size, -1, thread_state.size is 18446744073709551615; expected at most 16777216",
        "thread_state.prev, 401, prev ends at 401 of a struct of 400 bytes",
        "interpreter_state.gil_runtime_state, 17, gil_runtime_state_holder is 16; other numbers of the table contradict it",
        "interpreter_state.gc, 300, gc ends at 700 of a struct of 600 bytes",
        "list_object.ob_size, 24, list_object.ob_size is 24; other numbers of the table contradict it"
    })
    void numbersAreChecked(String name, long number, String message) {
        ByteBuffer table = table(ByteOrder.LITTLE_ENDIAN).putLong(place(name), number);

        assertThatThrownBy(() -> read(table))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining(message);
    }

    @Test
    void buildIsFreeThreadedOrNot() {
        ByteBuffer table = table(ByteOrder.LITTLE_ENDIAN).putLong(FREE_THREADED, 2);

        assertThatThrownBy(() -> read(table))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining(".PyRuntime+0x10: free_threaded is 2; expected 0 or 1");
    }
}
