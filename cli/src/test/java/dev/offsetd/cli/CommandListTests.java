package dev.offsetd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code dev/commands.txt}: what {@code ./offsetd test commands} runs. */
class CommandListTests {

    private static final Path ROOT = Path.of("..");
    private static final Pattern SOURCE = Pattern.compile(".*\\.(sh|awk|py|lua|sql)");
    private static final Pattern LAUNCHER_SCRIPT = Pattern.compile("(?:dev|packaging)/(\\w+)\\.sh");

    /** @param how a command line, or "in FILE" */
    private record Entry(String script, String how) {}

    private static List<Entry> entries() throws IOException {
        return Files.readAllLines(ROOT.resolve("dev/commands.txt")).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\\s+", 2))
                .map(words -> new Entry(words[0], words[1]))
                .toList();
    }

    private static boolean isScript(Path file) {
        return Files.isRegularFile(file)
                && (Files.isExecutable(file) || SOURCE.matcher(file.toString()).matches());
    }

    private static List<String> scripts() throws IOException {
        List<String> scripts = new ArrayList<>();
        for (String folder : List.of("dev", "bench", "packaging")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(CommandListTests::isScript)
                        .forEach(file -> scripts.add(ROOT.relativize(file).toString()));
            }
        }
        return scripts;
    }

    @Test
    void listHasEveryScriptAndNoOther() throws Exception {
        assertThat(entries().stream().map(Entry::script).distinct()).containsExactlyInAnyOrderElementsOf(scripts());
    }

    @Test
    void eachEntryRunsItsScriptOrNamesAFileThatDoes() throws Exception {
        for (Entry entry : entries()) {
            String name = Path.of(entry.script()).getFileName().toString();
            if (entry.how().startsWith("in ")) {
                String other = entry.how().substring("in ".length());
                assertThat(Files.readString(ROOT.resolve(other))).as(other).contains(launched(entry.script(), name));
            } else {
                assertThat(entry.how()).contains(launched(entry.script(), name));
            }
        }
    }

    /** Returns how a file runs the script: by its name, except for a command of the launcher. */
    private static String launched(String script, String name) {
        Matcher command = LAUNCHER_SCRIPT.matcher(script);
        boolean isCommand = command.matches() && isCommand(command.group(1));
        return isCommand ? "offsetd " + command.group(1) : name;
    }

    private static boolean isCommand(String name) {
        return List.of("test", "fuzz", "corpus", "sets", "replay", "soak", "renew", "install", "dist")
                .contains(name);
    }
}
