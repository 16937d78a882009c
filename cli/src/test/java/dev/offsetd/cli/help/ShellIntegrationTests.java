package dev.offsetd.cli.help;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The completion scripts in the real shells, and the manual pages in the real man. */
class ShellIntegrationTests {

    @TempDir
    private Path folder;

    private Path printed(String... arguments) throws IOException {
        CommandLineRun run = CommandLineRun.of(arguments);
        assertThat(run.exitCode()).isZero();
        return Files.writeString(folder.resolve("printed"), run.out());
    }

    @ParameterizedTest
    @CsvSource({
        "offsetd ext, extract",
        "offsetd extract --js, --json",
        "offsetd extract -f j, json",
        "offsetd extract file --lang r, rust",
        "offsetd completion f, fish",
        "offsetd build-id FOLDER/print, FOLDER/printed"
    })
    void bashCompletesCommandsOptionsValuesAndFiles(String line, String completed) throws IOException {
        Path script = printed("completion", "bash");

        String out = RequiredTool.require("bash").output("-c", """
                        source "$0"
                        compopt() { :; } # fails outside of a completion
                        set -- $1
                        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$*
                        complete=$(complete -p offsetd)
                        complete=${complete#*-F }
                        ${complete%% *} "$1" "${@: -1}" "${@: -2:1}"
                        echo "${COMPREPLY[@]}"
                        """, script.toString(), inFolder(line));

        assertThat(out.strip()).isEqualTo(inFolder(completed));
    }

    @ParameterizedTest
    @CsvSource({
        "offsetd ext, extract",
        "./offsetd extract --js, --json",
        "offsetd extract -f j, json",
        "offsetd extract file --lang r, rust",
        "offsetd completion f, fish",
        "offsetd build-id FOLDER/print, FOLDER/printed"
    })
    void fishCompletesCommandsOptionsValuesAndFiles(String line, String completed) throws IOException {
        Path script = printed("completion", "fish");

        String out = RequiredTool.require("fish")
                .with("HOME", folder)
                .output("--no-config", "-c", "source " + script + "; complete -C " + "'" + inFolder(line) + "'");

        assertThat(out.lines().map(found -> found.split("\t", -1)[0])).containsExactly(inFolder(completed));
    }

    @Test
    void zshCompletesCommands() throws IOException {
        Path script = printed("completion", "zsh");

        String out = RequiredTool.require("zsh").with("TERM", "dumb").output("-f", "-c", """
                        zmodload zsh/zpty
                        zpty -b shell zsh -f -i
                        zpty -w shell 'autoload -U compinit; compinit -u -D; source %s; print re""ady'
                        zpty -r -m shell out '*ready*'
                        zpty -w -n shell $'offsetd extr\\t'
                        zpty -r -m shell out '*extract *'
                        print -r -- $out
                        """.formatted(script));

        assertThat(out).contains("offsetd extract ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "extract", "query", "bundle", "prewarm", "push"})
    void manFormatsThePagesWithoutWarnings(String command) throws IOException {
        Path page = command.isEmpty() ? printed("man") : printed("man", command);

        String out = RequiredTool.require("sh")
                .with("MANWIDTH", 200)
                .output("-c", "man --warnings -l \"$0\" 2>&1", page.toString());

        assertThat(out)
                .doesNotContain("warning:")
                .contains("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "--help")
                .contains(command.isEmpty() ? "offsetd extract libc.so.6" : "offsetd " + command);
    }

    private String inFolder(String text) {
        return text.replace("FOLDER", folder.toString());
    }
}
