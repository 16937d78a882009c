package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BuildStatesTests {

    private static final Pattern CHANGE = Pattern.compile("(?s)update builds\\b[^\"]*?\\bset\\b[^\"]*?\\bstate =");

    /** Otherwise, what has to follow a change of state would be forgotten in one of the places. */
    @Test
    void statesOfBuildsAreChangedByOneStatement() throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        }
        assertThat(sources).hasSizeGreaterThan(100);
        List<String> statements = new ArrayList<>();
        for (Path source : sources) {
            CHANGE.matcher(Files.readString(source))
                    .results()
                    .forEach(_ -> statements.add(source.getFileName().toString()));
        }
        assertThat(statements).containsExactly("BuildStates.java");
    }
}
