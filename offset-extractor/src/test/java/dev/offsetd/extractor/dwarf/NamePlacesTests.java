package dev.offsetd.extractor.dwarf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NamePlacesTests {

    @Test
    void aNameIsFoundWhereItStartsAndNowhereElse() throws ExtractionException {
        NamePlaces places = places("abc\0task_struct\0task\0", "task_struct");
        assertThat(where(places, 24)).containsExactly(4);
    }

    @Test
    void aNameThatIsTheEndOfALongerStringIsFound() throws ExtractionException {
        NamePlaces places = places("my_task_struct\0", "task_struct");
        assertThat(where(places, 16)).containsExactly(3);
    }

    @Test
    void aNameThatStringsOnlyBeginWithIsNot() throws ExtractionException {
        assertThat(where(places("task_struct_of\0", "task_struct"), 16)).isEmpty();
    }

    @Test
    void namesOfOneByteAndAtTheStartOfTheSectionAreFound() throws ExtractionException {
        NamePlaces places = places("T\0xT\0\0T\0", "T");
        assertThat(where(places, 10)).containsExactly(0, 3, 6);
    }

    @Test
    void aStringWithoutItsEndIsNoName() throws ExtractionException {
        assertThat(where(places("a\0task", "task"), 8)).isEmpty();
        assertThat(where(places("", "task"), 8)).isEmpty();
    }

    /** Against a search that looks at every offset, over strings of few letters, so that much is nearly equal. */
    @Test
    void findsWhatAPlainSearchFinds() throws ExtractionException {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            byte[] bytes = new byte[random.nextInt(80)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) "\0ab\u0080".charAt(random.nextInt(4));
            }
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            List<String> names =
                    Stream.of("a", "b", "ab", "ba", "aab", "abab", "bbbbbbbbb").toList();
            Set<Integer> expected = new HashSet<>();
            for (String name : names) {
                for (int at = text.indexOf(name + "\0"); at >= 0; at = text.indexOf(name + "\0", at + 1)) {
                    expected.add(at);
                }
            }
            NamePlaces places = places(text, names.toArray(String[]::new));
            assertThat(where(places, bytes.length + 2)).as(text).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void aSectionThatRepeatsANameWithoutEndIsNotRemembered() throws ExtractionException {
        assertThat(places("T\0".repeat(1 << 17), "T").contains(1)).isTrue();
    }

    private static NamePlaces places(String section, String... names) throws ExtractionException {
        byte[][] wanted = Stream.of(names)
                .map(name -> name.getBytes(StandardCharsets.ISO_8859_1))
                .toArray(byte[][]::new);
        byte[] bytes = section.getBytes(StandardCharsets.ISO_8859_1);
        return NamePlaces.in(
                new Section(".debug_str", MemorySegment.ofArray(bytes), ByteOrder.LITTLE_ENDIAN),
                wanted,
                new Deadline(Limits.DEFAULT));
    }

    private static List<Integer> where(NamePlaces places, int end) {
        List<Integer> found = new ArrayList<>();
        for (int offset = 0; offset < end; offset++) {
            if (places.contains(offset)) {
                found.add(offset);
            }
        }
        return found;
    }
}
