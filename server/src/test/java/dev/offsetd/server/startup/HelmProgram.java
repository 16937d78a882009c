package dev.offsetd.server.startup;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;

/** The commands {@code helm lint} and {@code helm template} of Helm's library, with the options that the tests need. */
public final class HelmProgram {

    private HelmProgram() {}

    /**
     * Runs {@code lint CHART} or {@code template RELEASE CHART [--values FILE | --set NAME=VALUE]...}.
     *
     * @param arguments those of the command
     */
    public static void main(String... arguments) {
        try {
            switch (arguments[0]) {
                case "lint" -> {
                    LintResult result =
                            new Helm(Path.of(arguments[1])).lint().strict().call();
                    result.getMessages().forEach(System.out::println);
                    System.exit(result.isFailed() ? 1 : 0);
                }
                case "template" -> System.out.print(template(arguments).call());
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        } catch (IllegalStateException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static TemplateCommand template(String... arguments) {
        TemplateCommand command = new Helm(Path.of(arguments[2])).template().withName(arguments[1]);
        for (int i = 3; i < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--values" -> command.withValuesFile(Path.of(value));
                case "--set" ->
                    command.set(value.substring(0, value.indexOf('=')), value.substring(value.indexOf('=') + 1));
                default -> throw new IllegalArgumentException(arguments[i]);
            }
        }
        return command;
    }
}
