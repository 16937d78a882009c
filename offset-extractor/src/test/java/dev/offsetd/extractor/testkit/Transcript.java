package dev.offsetd.extractor.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A text file of commands and their recorded output. A test runs the commands again, in order, and compares the output
 * byte for byte.
 *
 * <pre>
 * # A comment.
 * $ a command
 *   its output, each line indented by two spaces
 * $ a command whose output does not end with a line feed
 *   {"a": 1}
 * \ no line feed
 * </pre>
 *
 * To add a command, add its {@code $} line and record the output with {@code ./offsetd renew answers}, which rewrites the
 * files in {@code src/test/resources}. Review the resulting diff.
 */
public final class Transcript {

    private static final boolean RENEW = "renew".equals(System.getProperty("recorded"));

    private static final String COMMAND = "$ ";
    private static final String INDENT = "  ";
    private static final String NO_LINE_FEED = "\\ no line feed";

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private final Path file;
    private final List<Step> steps;

    /** A command with the comments and blank lines before it and its output. The last step may have no command. */
    private record Step(List<String> before, @Nullable String command, String output) {}

    private Transcript(Path file, List<Step> steps) {
        this.file = file;
        this.steps = steps;
    }

    /** Returns one container of tests for each {@code *.txt} file in a folder of {@code src/test/resources}. */
    public static Stream<DynamicContainer> tests(String folder, Function<String, String> run) throws IOException {
        Path source = Path.of("src", "test", "resources", folder);
        try (Stream<Path> files = Files.list(source)) {
            return files.filter(file -> file.toString().endsWith(".txt")).sorted().toList().stream()
                    .map(Transcript::read)
                    .map(transcript -> transcript.tests(run));
        }
    }

    /** Splits a command into words at white space; single quotes keep a word together. */
    public static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        for (Matcher word = WORD.matcher(command); word.find(); ) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        return words;
    }

    private static Transcript read(Path file) {
        List<Step> steps = new ArrayList<>();
        List<String> before = new ArrayList<>();
        String command = null;
        StringBuilder output = new StringBuilder();
        for (String line : lines(file)) {
            if (command != null && line.startsWith(INDENT)) {
                output.append(line.substring(INDENT.length())).append('\n');
                continue;
            }
            if (command != null && line.equals(NO_LINE_FEED)) {
                output.setLength(output.length() - 1);
                continue;
            }
            if (command != null) {
                steps.add(new Step(before, command, output.toString()));
                before = new ArrayList<>();
                output.setLength(0);
                command = null;
            }
            if (line.startsWith(COMMAND)) {
                command = line.substring(COMMAND.length());
            } else {
                before.add(line);
            }
        }
        steps.add(new Step(before, command, output.toString()));
        return new Transcript(file, steps);
    }

    private static List<String> lines(Path file) {
        try {
            // Not readAllLines(), which also splits at carriage returns.
            return List.of(Files.readString(file).split("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DynamicContainer tests(Function<String, String> run) {
        List<DynamicTest> tests = new ArrayList<>();
        List<Step> renewed = new ArrayList<>();
        for (Step step : steps) {
            String command = step.command();
            if (command == null) {
                renewed.add(step);
                continue;
            }
            tests.add(DynamicTest.dynamicTest(command, file.toUri(), () -> {
                String output = run.apply(command);
                if (RENEW) {
                    renewed.add(new Step(step.before(), command, output));
                } else {
                    compare(output, step.output());
                }
            }));
        }
        if (RENEW) {
            tests.add(DynamicTest.dynamicTest("write", () -> write(renewed)));
        }
        return DynamicContainer.dynamicContainer(file.getFileName().toString(), tests);
    }

    /** Compares JSON line by line, because a difference in one line of 5,000 characters is hard to find. */
    private static void compare(String output, String recorded) {
        assertThat(indented(output)).isEqualTo(indented(recorded));
        assertThat(output).isEqualTo(recorded);
    }

    private static String indented(String output) {
        StringBuilder all = new StringBuilder();
        for (String line : output.split("\n", -1)) {
            all.append(line.startsWith("{") ? indentedJson(line) : line).append('\n');
        }
        return all.toString();
    }

    private static String indentedJson(String line) {
        try {
            return JsonMapper.shared().readTree(line).toPrettyString();
        } catch (JacksonException e) {
            return line;
        }
    }

    private void write(List<Step> renewed) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Step step : renewed) {
            step.before().forEach(line -> text.append(line).append('\n'));
            if (step.command() == null) {
                continue;
            }
            text.append(COMMAND).append(step.command()).append('\n');
            String output = step.output();
            if (output.isEmpty()) {
                continue;
            }
            boolean ends = output.endsWith("\n");
            for (String line : (ends ? output.substring(0, output.length() - 1) : output).split("\n", -1)) {
                text.append(INDENT).append(line).append('\n');
            }
            if (!ends) {
                text.append(NO_LINE_FEED).append('\n');
            }
        }
        Files.writeString(file, text);
    }
}
