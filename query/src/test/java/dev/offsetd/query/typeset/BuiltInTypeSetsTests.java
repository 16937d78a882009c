package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

class BuiltInTypeSetsTests {

    private final BuiltInTypeSets sets = new BuiltInTypeSets();

    @Test
    void everySetFileIsListedAndCanBeRead() throws IOException, URISyntaxException {
        URL index = Objects.requireNonNull(BuiltInTypeSets.class.getResource("index.txt"));
        try (Stream<Path> files = Files.list(Path.of(index.toURI()).getParent())) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".json"))
                            .map(name -> name.substring(0, name.length() - ".json".length())))
                    .containsExactlyInAnyOrderElementsOf(sets.names());
        }
        assertThat(sets.all()).extracting(TypeSet::name).isSorted().containsExactlyInAnyOrderElementsOf(sets.names());
    }

    @Test
    void setIsReadBackAsItIsWritten() {
        for (TypeSet set : sets.all()) {
            StringWriter written = new StringWriter();
            try (JsonGenerator out = JsonMapper.shared().createGenerator(written)) {
                TypeSetWriter.write(out, set);
            }
            assertThat(TypeSetParser.parse(written.toString().getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(set);
        }
    }

    /** {@code ./offsetd sets} checks these builds; docs/exactness.md has the results. */
    @Test
    void versionsOfASetAreThoseOfTheBuildsThatItIsCheckedWith(@TempDir Path folder) {
        for (TypeSet set : sets.all()) {
            List<String> checked = new Runtimes(folder)
                    .all().stream()
                            .filter(build -> build.set().equals(set.name()))
                            .map(build -> build.name().substring(build.name().indexOf('-') + 1))
                            .toList();
            for (String version : set.versions()) {
                assertThat(checked)
                        .as("%s %s", set.name(), version)
                        .anyMatch(each -> each.startsWith(version) || set.name().equals("luajit"));
            }
            // Builds of LuaJIT are named after years.
            if (!set.versions().isEmpty() && !set.name().equals("luajit")) {
                assertThat(checked).as(set.name()).noneMatch(set::isUncheckedWith);
            }
        }
    }

    @Test
    void versionIsCheckedIfItBeginsWithTheNumbersOfOne() {
        TypeSet ruby = sets.find("ruby").orElseThrow();
        assertThat(ruby.isUncheckedWith("3.1")).isFalse();
        assertThat(ruby.isUncheckedWith("3.1.2p20")).isFalse();
        assertThat(ruby.isUncheckedWith("3.10.1")).isTrue();
        assertThat(ruby.isUncheckedWith("4.0.0")).isTrue();
        assertThat(sets.find("go-http").orElseThrow().isUncheckedWith("1.30"))
                .as("it states none")
                .isFalse();
    }

    @Test
    void noItemOfASetIsThereTwice() {
        for (TypeSet set : sets.all()) {
            List<String> items = set.entries().stream()
                    .flatMap(entry -> entry.items().stream())
                    .map(Item::text)
                    .toList();
            assertThat(items).as("%s", set.name()).doesNotHaveDuplicates();
            assertThat(set.items()).hasSameSizeAs(items);
        }
    }

    @Test
    void itemsOfASetAreSpelledAsTheyAreRead() {
        for (TypeSet set : sets.all()) {
            assertThat(set.items())
                    .as("%s", set.name())
                    .allSatisfy(item -> assertThat(item.text())
                            .isEqualTo(item.alternatives().stream()
                                    .map(Alternative::text)
                                    .collect(Collectors.joining("|"))));
        }
    }

    @Test
    void otherNamesAreUnknown() {
        assertThat(sets.find("../index")).isEmpty();
        assertThat(sets.find("no-such-set")).isEmpty();
    }
}
