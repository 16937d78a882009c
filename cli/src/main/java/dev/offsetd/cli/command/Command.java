package dev.offsetd.cli.command;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.extractor.builds.PartVersions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * A command. Its fields declare its arguments: each method for that returns the supplier of a value, which is there when the
 * command runs. The model is built by calls instead of annotations, because reading annotations takes longer than reading a
 * build-id.
 */
public abstract class Command implements Callable<Integer> {

    private static final Pattern TIME = Pattern.compile("([0-9]{1,6})([smhd]?)");

    private static final Map<String, Duration> TIME_UNITS = Map.of(
            "", Duration.ofSeconds(1),
            "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1),
            "h", Duration.ofHours(1),
            "d", Duration.ofDays(1));

    protected final Console console;
    private final List<ArgSpec> arguments = new ArrayList<>();
    private final UsageMessageSpec usage = new UsageMessageSpec();
    private int positions;

    /** @param description the list of commands shows its first line */
    protected Command(Console console, String... description) {
        this.console = console;
        usage.description(description);
    }

    /**
     * Runs the command.
     *
     * @return its exit code
     * @throws IOException if the output cannot be written
     */
    @Override
    public abstract Integer call() throws CommandFailure, IOException;

    /** Documents exit codes, each as {@code code:meaning}. */
    protected final void exitCodes(String... meanings) {
        usage.exitCodeListHeading("%nExit codes:%n").exitCodeList(UsageMessageSpec.keyValuesMap(meanings));
    }

    /** Documents command lines; the list of commands shows the first. */
    protected final void examples(String... lines) {
        usage.footerHeading("%nExamples:%n")
                .footer(Stream.of(lines)
                        .map(line -> "  " + line.replace("%", "%%"))
                        .toArray(String[]::new));
    }

    /** Leaves the command out of help and completions. */
    protected final void hide() {
        usage.hidden(true);
    }

    /** Declares a required positional parameter. */
    public final <T> Supplier<T> parameter(String label, Class<T> type, String description) {
        ArgSpec spec = add(position(label, description)
                .index(Integer.toString(positions++))
                .arity("1")
                .required(true)
                .type(type)
                .build());
        return spec::getValue;
    }

    /** Declares a required positional parameter with one of these values. */
    public final Supplier<String> parameter(String label, List<String> values, String description) {
        ArgSpec spec = add(position(label, description)
                .index(Integer.toString(positions++))
                .arity("1")
                .required(true)
                .type(String.class)
                .completionCandidates(values)
                .converters(text -> {
                    if (!values.contains(text)) {
                        throw new TypeConversionException(text);
                    }
                    return text;
                })
                .build());
        return spec::getValue;
    }

    /** Declares an optional positional parameter. */
    public final <T> Supplier<@Nullable T> optionalParameter(String label, Class<T> type, String description) {
        ArgSpec spec = add(position(label, description)
                .index(Integer.toString(positions++))
                .arity("0..1")
                .type(type)
                .build());
        return spec::getValue;
    }

    /** Declares the remaining positional parameters. */
    public final <T> Supplier<List<T>> parameters(String label, boolean required, Class<T> type, String description) {
        return values(add(position(label, description)
                .index(positions + "..*")
                .arity(required ? "1..*" : "0..*")
                .required(required)
                .type(List.class)
                .auxiliaryTypes(type)
                .build()));
    }

    /**
     * Declares an option without a value.
     *
     * @param names separated by a comma, the short one first
     */
    public final BooleanSupplier flag(String names, String description) {
        ArgSpec spec = add(OptionSpec.builder(names.split(","))
                .type(boolean.class)
                .defaultValue("false")
                .description(description)
                .build());
        return () -> spec.<Boolean>getValue();
    }

    /** Declares an option with a value. */
    public final <T> Supplier<@Nullable T> option(String names, String label, Class<T> type, String description) {
        ArgSpec spec = add(optionOf(names, label, description).type(type).build());
        return spec::getValue;
    }

    /** Declares an option with a default. */
    public final <T> Supplier<T> option(String names, String label, Class<T> type, T otherwise, String description) {
        ArgSpec spec = add(optionOf(names, label, description)
                .type(type)
                .defaultValue(otherwise.toString())
                .build());
        return spec::getValue;
    }

    /**
     * Declares an option for a time, such as 90s, 10m or 6h; a number alone is one of seconds.
     *
     * @param otherwise the default, in one of these forms
     */
    public final Supplier<Duration> time(String names, String otherwise, String description) {
        ArgSpec spec = add(optionOf(names, "TIME", description + " (default: " + otherwise + ")")
                .type(Duration.class)
                .defaultValue(otherwise)
                .converters(Command::time)
                .build());
        return spec::getValue;
    }

    private static Duration time(String text) {
        Matcher matcher = TIME.matcher(text);
        Duration unit = matcher.matches() ? TIME_UNITS.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new TypeConversionException(text);
        }
        return unit.multipliedBy(Long.parseLong(matcher.group(1)));
    }

    /** Declares an option whose value is one of these words, in upper or lower case. */
    public final <T> Supplier<@Nullable T> choice(
            String names, String label, Map<String, T> values, String description) {
        ArgSpec spec = add(optionOf(names, label, description)
                .type(String.class)
                .completionCandidates(values.keySet())
                .converters(text -> {
                    T value = values.get(text.toLowerCase(Locale.ROOT));
                    if (value == null) {
                        throw new TypeConversionException(text);
                    }
                    return value;
                })
                .build());
        return spec::getValue;
    }

    /** Returns these values by their names in lower case. */
    @SafeVarargs
    public static <E extends Enum<E>> Map<String, E> words(E... values) {
        Map<String, E> words = new LinkedHashMap<>();
        for (E value : values) {
            words.put(value.name().toLowerCase(Locale.ROOT), value);
        }
        return words;
    }

    /** Declares a repeatable option. */
    public final <T> Supplier<List<T>> options(String names, String label, Class<T> type, String description) {
        return values(add(optionOf(names, label, description)
                .type(List.class)
                .auxiliaryTypes(type)
                .build()));
    }

    /** Returns the model of this command. */
    public final CommandSpec spec() {
        CommandSpec spec =
                CommandSpec.wrapWithoutInspection(this, Command::create).usageMessage(usage);
        arguments.forEach(spec::add);
        subcommands().forEach((name, command) -> spec.addSubcommand(name, command.spec()));
        return withStandardOptions(spec);
    }

    /** The subcommands by name. */
    protected Map<String, Command> subcommands() {
        return Map.of();
    }

    /** Adds {@code --help} and {@code --version}. */
    public static CommandSpec withStandardOptions(CommandSpec spec) {
        return spec.versionProvider(() -> new String[] {version()})
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("Show this help message and exit.")
                        .build())
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .description("Print version information and exit.")
                        .build());
    }

    /** Returns name and versions of the program. */
    public static String version() {
        String version = Command.class.getPackage().getImplementationVersion();
        return "offsetd " + (version == null ? "(not from a jar)" : version) + ", extractor " + PartVersions.TYPES;
    }

    /**
     * The factory of picocli's objects; of these arguments, only lists need one. picocli's own factory first looks for Groovy
     * in every jar, which takes longer than reading a build-id.
     */
    public static <T> T create(Class<T> type) throws Exception {
        return type.isAssignableFrom(ArrayList.class)
                ? type.cast(new ArrayList<>())
                : CommandLine.defaultFactory().create(type);
    }

    private ArgSpec add(ArgSpec spec) {
        arguments.add(spec);
        return spec;
    }

    private static PositionalParamSpec.Builder position(String label, String description) {
        return PositionalParamSpec.builder().paramLabel(label).description(description);
    }

    private static OptionSpec.Builder optionOf(String names, String label, String description) {
        return OptionSpec.builder(names.split(",")).paramLabel(label).description(description);
    }

    private static <T> Supplier<List<T>> values(ArgSpec spec) {
        return () -> {
            List<T> given = spec.getValue();
            return given == null ? List.of() : given;
        };
    }
}
