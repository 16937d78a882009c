package dev.offsetd.server.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.CommandLine.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A reader who pastes the commands of documents into a shell, one block after the other. Variables stay from block to block.
 * A block that fails, or a call of curl that the server refuses, fails the walk.
 */
public final class DocumentWalk {

    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, String> replacements = new LinkedHashMap<>();
    private final Set<String> omitted = new HashSet<>();
    private final Set<String> used = new HashSet<>();

    /**
     * Commands of a document.
     *
     * @param heading the heading above them
     * @param output what the document prints below the commands; empty unless it shows a session
     */
    public record Step(Path document, String heading, String commands, String output) {

        @Override
        public String toString() {
            return document.getFileName() + ", " + heading;
        }
    }

    /** @param folder the working folder */
    public DocumentWalk(Path folder) throws IOException {
        this.folder = folder;
        Files.writeString(folder.resolve(".curlrc"), "fail\n");
        Files.writeString(folder.resolve(".variables"), "");
        environment.put("CURL_HOME", folder.toString());
        environment.put("HOME", folder.toString());
    }

    public DocumentWalk with(String variable, Object value) {
        environment.put(variable, value.toString());
        return this;
    }

    /** Replaces text that the documents give as an example, such as an address. */
    public DocumentWalk replacing(String printed, String actual) {
        replacements.put(printed, actual);
        return this;
    }

    /** Leaves out the lines that start with this. */
    public DocumentWalk omitting(String start) {
        omitted.add(start);
        return this;
    }

    /** Returns the blocks of a document marked as {@code sh}, and the commands of those marked as {@code console}. */
    public static List<Step> steps(Path document) throws IOException {
        List<Step> steps = new ArrayList<>();
        String heading = "";
        String language = "";
        List<String> block = new ArrayList<>();
        for (String line : Files.readAllLines(document)) {
            if (line.startsWith("```")) {
                switch (language) {
                    case "sh" -> steps.add(new Step(document, heading, String.join("\n", block), ""));
                    case "console" -> steps.addAll(session(document, heading, block));
                    default -> {}
                }
                language = language.isEmpty() ? line.equals("```") ? "text" : line.substring(3) : "";
                block.clear();
            } else if (!language.isEmpty()) {
                block.add(line);
            } else if (line.startsWith("#")) {
                heading = line.replaceFirst("#+ ", "");
            }
        }
        return steps;
    }

    /** Returns the commands of a session, which begin with {@code $} and go on after a pipe or a backslash. */
    private static List<Step> session(Path document, String heading, List<String> lines) {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < lines.size(); ) {
            StringBuilder command = new StringBuilder(lines.get(i).substring("$ ".length()));
            while (command.toString().matches("(?s).*[|\\\\]")) {
                command.append('\n').append(lines.get(++i));
            }
            StringBuilder output = new StringBuilder();
            for (i++; i < lines.size() && !lines.get(i).startsWith("$ "); i++) {
                output.append(lines.get(i)).append('\n');
            }
            steps.add(new Step(document, heading, command.toString(), output.toString()));
        }
        return steps;
    }

    /** Runs the blocks of a document and returns their outputs. */
    public List<String> follow(Path document) throws IOException, InterruptedException {
        List<String> outputs = new ArrayList<>();
        for (Step step : steps(document)) {
            outputs.add(run(step));
        }
        assertThat(outputs).as(document + " has commands").isNotEmpty();
        return outputs;
    }

    /** Runs a block and returns its output. */
    public String run(Step step) throws IOException, InterruptedException {
        StringBuilder commands = new StringBuilder();
        for (String line : step.commands().lines().toList()) {
            String start = omitted.stream().filter(line::startsWith).findFirst().orElse("");
            if (start.isEmpty()) {
                commands.append(line).append('\n');
            }
            used.add(start);
        }
        String script = commands.toString();
        for (Map.Entry<String, String> replacement : replacements.entrySet()) {
            if (script.contains(replacement.getKey())) {
                used.add(replacement.getKey());
                script = script.replace(replacement.getKey(), replacement.getValue());
            }
        }
        Run run = CommandLine.run(
                folder,
                environment,
                "sh",
                "-eu",
                "-c",
                ". ./.variables\nset -a\n" + script + "\nset +a\nexport -p >.variables");
        assertThat(run.exitCode())
                .as("%s:%n%s%n%s%s", step, script, run.out(), run.err())
                .isZero();
        return run.out();
    }

    /** Checks that the documents still have everything that the walk replaces or leaves out. */
    public void assertAllUsed() {
        assertThat(used).containsAll(replacements.keySet()).containsAll(omitted);
    }
}
