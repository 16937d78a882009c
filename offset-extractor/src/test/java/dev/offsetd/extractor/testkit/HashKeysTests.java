package dev.offsetd.extractor.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashKeysTests {

    @TempDir
    private Path folder;

    private void write(String expression) throws IOException {
        Files.writeString(folder.resolve("Tables.java"), """
                import java.nio.ByteBuffer;
                import java.util.*;
                import java.util.concurrent.ConcurrentHashMap;
                import java.util.stream.*;

                class Tables {
                    record Plain(String name, long offset) {}

                    record Compared(String name) implements Comparable<Compared> {
                        public int compareTo(Compared other) {
                            return name.compareTo(other.name);
                        }
                    }

                    enum Kind { ONE }

                    Object table(List<String> names, List<Plain> plain) {
                        return %s;
                    }
                }
                """.formatted(expression));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "new HashMap<Plain, String>()",
                "new HashSet<>(plain)",
                "new ConcurrentHashMap<Plain, String>()",
                "plain.stream().distinct().toList()",
                "plain.stream().collect(Collectors.toSet())",
                "plain.stream().collect(Collectors.groupingBy(each -> each))",
                "plain.stream().collect(Collectors.toMap(each -> each, each -> 1))"
            })
    void keyThatCannotBeComparedIsSlow(String expression) throws IOException {
        write(expression);
        assertThat(HashKeys.slow(folder)).containsExactly("Tables: Tables.Plain");
    }

    @Test
    void keyOfAClassWithOtherClassesBelowItIsSlow() throws IOException {
        write("new HashMap<ByteBuffer, String>()");
        assertThat(HashKeys.slow(folder)).containsExactly("Tables: ByteBuffer");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Set.copyOf(names)",
                "Map.copyOf(new HashMap<String, String>())",
                "names.stream().collect(Collectors.toUnmodifiableSet())"
            })
    void immutableTableIsSlowWithAnyKey(String expression) throws IOException {
        write(expression);
        assertThat(HashKeys.slow(folder)).containsExactly("Tables: immutable String");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "new HashMap<String, String>()",
                "new HashSet<Long>()",
                "new HashSet<Compared>()",
                "new HashMap<Kind, String>()",
                "new TreeSet<Plain>((one, other) -> 0)",
                "new IdentityHashMap<Plain, String>()",
                "plain.stream().collect(Collectors.groupingBy(each -> each.name(), TreeMap::new, Collectors.toList()))"
            })
    void otherKeysAreNot(String expression) throws IOException {
        write(expression);
        assertThat(HashKeys.slow(folder)).isEmpty();
    }
}
