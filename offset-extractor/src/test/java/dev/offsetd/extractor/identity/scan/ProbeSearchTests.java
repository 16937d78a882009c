package dev.offsetd.extractor.identity.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.VersionProbe;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProbeSearchTests {

    private static VersionProbe probe(String text) {
        return new VersionProbe("set", "project", ".rodata", text, "");
    }

    private static List<String> found(VersionProbe probe, String contents) {
        return ProbeSearch.fields(List.of(probe), section(contents)).stream()
                .map(IdentityField::value)
                .toList();
    }

    private static Section section(String contents) {
        byte[] bytes = contents.getBytes(StandardCharsets.ISO_8859_1);
        return new Section(".rodata", MemorySegment.ofArray(bytes), ByteOrder.LITTLE_ENDIAN);
    }

    @ParameterizedTest
    @CsvSource({
        "ruby {version} (, ruby 3.1.2p20 (2022-04-12), 3.1.2p20",
        "LuaJIT {version}, LuaJIT 2.1.0-beta3, 2.1.0-beta3",
        "GNU C Library ({any}) stable release version {version}.,"
                + " GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36., 2.36",
        "v{version} {any}!, v1.2+a b!, 1.2+a"
    })
    void theVersionIsTakenOutOfTheText(String text, String string, String version) {
        assertThat(found(probe(text), "other\0" + string + "\0more")).containsExactly("project", version);
    }

    @ParameterizedTest
    @CsvSource({
        "ruby {version} (, for ruby 1.8 (",
        "ruby {version} (, ruby x.y (",
        "LuaJIT {version}, LuaJIT 2.1.0 and more",
        "a ({any}) {version}, a (b 1.0",
        "LuaJIT {version}, LuaJIT "
    })
    void otherStringsAreNotMatched(String text, String string) {
        assertThat(found(probe(text), "\0" + string + "\0")).isEmpty();
    }

    @Test
    void stringAfterAJumpTableIsFoundAndOneInsideATextIsNot() {
        assertThat(found(probe("ruby {version} ("), "\0\u00a1\u00f2\u00ff\u00ffruby 3.4.5 ("))
                .contains("3.4.5");
        assertThat(found(probe("ruby {version} ("), "\0\u0010\u00d0\u00fd\u00feruby 3.4.5 ("))
                .contains("3.4.5");
        for (String before : List.of("x", " ", "\n", "\u0080", "\u00c3\u00bf")) {
            assertThat(found(probe("ruby {version} ("), "\0" + before + "ruby 3.4.5 ("))
                    .isEmpty();
        }
    }

    @Test
    void aVersionCountsOnlyWithTheStringThatItRequires() {
        VersionProbe python = new VersionProbe("python", "python", ".rodata", "{version}", ".cpython-{major}{minor}-");

        assertThat(found(python, "3.45.0\0003.2.0\0003.11.2\0.cpython-311-x86_64.so\0"))
                .containsExactly("python", "3.11.2");
        assertThat(found(python, "3.45.0\0003.2.0\0")).isEmpty();
    }

    @Test
    void theFirstProbeOfASetThatMatchesCounts() {
        List<VersionProbe> probes = List.of(probe("a {version}"), probe("b {version}"));

        assertThat(ProbeSearch.fields(probes, section("b 2\0a 1\0")))
                .extracting(IdentityField::value, IdentityField::source)
                .containsExactly(tuple("project", ".rodata (@set probe)"), tuple("1", ".rodata (@set probe)"));
    }

    @Test
    void stringsAreFoundAnywhereInALargeSection() {
        for (int before : new int[] {0, (1 << 18) - 5, 1 << 18, (1 << 19) - 1}) {
            assertThat(found(probe("ruby {version} ("), "x".repeat(before) + "\0ruby 3.4.5 (2025)\0" + "y".repeat(99)))
                    .containsExactly("project", "3.4.5");
        }
    }

    /** A string may start after each byte 0xf8, and all of them end at the same zero byte. */
    @ParameterizedTest
    @ValueSource(strings = {"\u00f8Linux version 1 (", "\u00f8ld.so (", "\u00f8php 1 ("})
    void stringsThatShareTheirEndAreSearchedInLinearTime(String repeated) throws IOException {
        List<VersionProbe> probes = new ArrayList<>();
        for (int i = 1; i < 9; i++) {
            probes.add(probe("Linux version {version} ({any}) #" + i));
            probes.add(probe("ld.so ({any} GLIBC {version}) number " + i));
            probes.add(probe("ruby {version} number " + i));
            probes.add(new VersionProbe("set", "php", ".rodata", "php {version} (", "number " + i));
        }
        Section section = section(repeated.repeat((1 << 20) / repeated.length()));

        HostileRun.answer(
                repeated,
                256 << 20,
                () -> assertThat(ProbeSearch.run(probes, section)).containsOnlyNulls());
    }

    @Test
    void literalThatSeveralStringsShareIsFoundFromEach() {
        VersionProbe probe = probe("a {any}b{version} {any}c");
        assertThat(found(probe, "\0a \u00f8a \u00f8a b \u00f8a b1 c")).containsExactly("project", "1");
        assertThat(found(probe, "\0a b1 \0a \0a b2 c")).containsExactly("project", "2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no version", "{version}", "{version} {version}", "{any}{version}", "x {version}{any}"})
    void textsThatCannotBeSearchedForAreRefused(String text) {
        assertThatThrownBy(() -> probe(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
