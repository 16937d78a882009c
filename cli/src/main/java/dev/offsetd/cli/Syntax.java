package dev.offsetd.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Arguments of one command. Each method declares an argument and returns the supplier of its value. The model is built by
 * calls instead of annotations, because reading annotations takes longer than reading a build-id.
 */
final class Syntax {

    private final List<ArgSpec> arguments = new ArrayList<>();
    private final UsageMessageSpec usage = new UsageMessageSpec();
    private int positions;

    /** @param description the list of commands shows its first line */
    Syntax(String... description) {
        usage.description(description);
    }

    /** Documents exit codes, each as {@code code:meaning}. */
    Syntax exitCodes(String... meanings) {
        usage.exitCodeListHeading("%nExit codes:%n").exitCodeList(UsageMessageSpec.keyValuesMap(meanings));
        return this;
    }

    /** Documents command lines; the list of commands shows the first. */
    Syntax examples(String... lines) {
        usage.footerHeading("%nExamples:%n")
                .footer(Stream.of(lines)
                        .map(line -> "  " + line.replace("%", "%%"))
                        .toArray(String[]::new));
        return this;
    }

    /** Declares a required positional parameter. */
    <T> Supplier<T> parameter(String label, Class<T> type, String description) {
        ArgSpec spec = add(PositionalParamSpec.builder()
                .index(Integer.toString(positions++))
                .arity("1")
                .required(true)
                .type(type)
                .paramLabel(label)
                .description(description)
                .build());
        return spec::getValue;
    }

    /** Declares a required positional parameter; shells complete these values. */
    Supplier<String> parameter(String label, List<String> values, String description) {
        ArgSpec spec = add(PositionalParamSpec.builder()
                .index(Integer.toString(positions++))
                .arity("1")
                .required(true)
                .type(String.class)
                .completionCandidates(values)
                .paramLabel(label)
                .description(description)
                .build());
        return spec::getValue;
    }

    /** Declares an optional positional parameter. */
    <T> Supplier<Optional<T>> optionalParameter(String label, Class<T> type, String description) {
        ArgSpec spec = add(PositionalParamSpec.builder()
                .index(Integer.toString(positions++))
                .arity("0..1")
                .type(type)
                .paramLabel(label)
                .description(description)
                .build());
        return () -> Optional.ofNullable(spec.<T>getValue());
    }

    /** Declares the remaining positional parameters. */
    <T> Supplier<List<T>> parameters(String label, boolean required, Class<T> type, String description) {
        return values(add(PositionalParamSpec.builder()
                .index(positions + "..*")
                .arity(required ? "1..*" : "0..*")
                .required(required)
                .type(List.class)
                .auxiliaryTypes(type)
                .paramLabel(label)
                .description(description)
                .build()));
    }

    /**
     * Declares an option without a value.
     *
     * @param names separated by a comma, the short one first
     */
    BooleanSupplier flag(String names, String description) {
        ArgSpec spec = add(OptionSpec.builder(names.split(","))
                .type(boolean.class)
                .defaultValue("false")
                .description(description)
                .build());
        return () -> spec.<Boolean>getValue();
    }

    /** Declares an option with a value. */
    <T> Supplier<Optional<T>> option(String names, String label, Class<T> type, String description) {
        ArgSpec spec = add(option(names, label, description).type(type).build());
        return () -> Optional.ofNullable(spec.<T>getValue());
    }

    /** Declares an option with a value; shells complete these values. */
    <T> Supplier<Optional<T>> choice(
            String names, String label, Class<T> type, List<String> values, String description) {
        ArgSpec spec = add(option(names, label, description)
                .type(type)
                .completionCandidates(values)
                .build());
        return () -> Optional.ofNullable(spec.<T>getValue());
    }

    /** Declares an option with a default. */
    <T> Supplier<T> option(String names, String label, Class<T> type, T otherwise, String description) {
        ArgSpec spec = add(option(names, label, description)
                .type(type)
                .defaultValue(otherwise.toString())
                .build());
        return spec::getValue;
    }

    /** Declares a repeatable option. */
    <T> Supplier<List<T>> options(String names, String label, Class<T> type, String description) {
        return values(add(option(names, label, description)
                .type(List.class)
                .auxiliaryTypes(type)
                .build()));
    }

    /** Returns the model of the command that has these arguments and runs this. */
    CommandSpec does(Callable<Integer> command) {
        CommandSpec spec =
                CommandSpec.wrapWithoutInspection(command, Syntax::create).usageMessage(usage);
        arguments.forEach(spec::add);
        return withStandardOptions(spec);
    }

    /** Adds {@code --help} and {@code --version}. */
    static CommandSpec withStandardOptions(CommandSpec spec) {
        return spec.versionProvider(Commands::version)
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Show this help message and exit.")
                        .build())
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .description("Print version information and exit.")
                        .build());
    }

    /**
     * The factory of picocli's objects; of these arguments, only lists need one. picocli's own factory first looks for Groovy
     * in every jar, which takes longer than reading a build-id.
     */
    static <T> T create(Class<T> type) throws Exception {
        return type.isAssignableFrom(ArrayList.class)
                ? type.cast(new ArrayList<>())
                : CommandLine.defaultFactory().create(type);
    }

    private ArgSpec add(ArgSpec spec) {
        arguments.add(spec);
        return spec;
    }

    private static OptionSpec.Builder option(String names, String label, String description) {
        return OptionSpec.builder(names.split(",")).paramLabel(label).description(description);
    }

    private static <T> Supplier<List<T>> values(ArgSpec spec) {
        return () -> Optional.ofNullable(spec.<List<T>>getValue()).orElse(List.of());
    }
}
