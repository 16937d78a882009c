package dev.offsetd.server.startup;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.operations.health.StartWarnings;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.logging.LoggingSystemProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;
import picocli.CommandLine.UnmatchedArgumentException;

@Command(
        name = "serve",
        synopsisHeading = "Usage: offsetd ",
        mixinStandardHelpOptions = false,
        sortOptions = false,
        description = {
            "Answers queries for struct layouts by build-id.",
            "",
            "Without a configured database (SPRING_DATASOURCE_URL), it runs an embedded one with its data in DIR.",
            "Upstreams are those of DEBUGINFOD_URLS, or else the public federation.",
            "Any setting of docs/configuration.md may be given as --NAME=VALUE:",
            "--offsetd.read-auth=true"
        },
        footer = {
            "",
            "Exit codes: 0 stopped, 1 could not start, 2 invalid options, 3 ended by a fatal error: start it again."
        })
public final class ServeCommand implements Callable<Integer> {

    /** Returned instead of an exit code while the server runs. */
    public static final int RUNNING = -1;

    private static final Logger log = LoggerFactory.getLogger(ServeCommand.class);
    private static final int FAILED = 1;
    private static final int MAX_PORT = 65_535;

    /** Arguments that are settings of this server or of Spring Boot. */
    private static final Pattern SETTING = Pattern.compile("--(offsetd|spring|server|management|logging)\\.[^=]+=.*");

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description = "address to listen on; 0.0.0.0 for all (default: 127.0.0.1)")
    private @Nullable String listen;

    @Option(names = "--port", paramLabel = "PORT", description = "port to listen on (default: 8080)")
    private @Nullable Integer port;

    @Option(names = "--data", paramLabel = "DIR", description = "data folder (default: ~/.offsetd)")
    private @Nullable Path data;

    @Option(names = "--offline", description = "query no upstream; answer from local folders and stored builds")
    private boolean offline;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help message and exit")
    @SuppressWarnings("unused") // picocli acts on it by itself
    private boolean help;

    /** Settings, and options that do not exist. */
    @Unmatched
    private List<String> others = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec spec;

    // Known and acquired by the start so far.
    private @Nullable ConfigurableEnvironment environment;
    private @Nullable DataFolderLock lock;

    /** Whether the process was told to end. */
    private volatile boolean isEnding;

    private final Supplier<SpringApplication> application;

    public ServeCommand(Supplier<SpringApplication> application) {
        this.application = application;
    }

    @Override
    public Integer call() {
        FatalErrors.haltOnUncaught();
        List<String> arguments = arguments();
        SpringApplication spring = application.get();
        spring.setRegisterShutdownHook(true);
        spring.addListeners(new LogFormat());
        spring.addInitializers(this::prepare);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> isEnding = true, "end-of-start"));
        try {
            spring.run(arguments.toArray(String[]::new));
            return RUNNING;
        } catch (RuntimeException e) {
            if (lock != null) {
                lock.close();
            }
            if (!isEnding) {
                report(e);
            }
            return FAILED;
        }
    }

    /** Returns the options and settings as arguments of Spring Boot. */
    private List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        for (String other : others) {
            if (!SETTING.matcher(other).matches()) {
                throw new UnmatchedArgumentException(spec().commandLine(), List.of(other));
            }
            arguments.add(other);
        }
        requireValid();
        Map<String, @Nullable Object> options = new LinkedHashMap<>();
        options.put("server.address", listen);
        options.put("server.port", port);
        options.put("offsetd.data-dir", data == null ? null : folder(data));
        options.put("offsetd.offline", offline ? true : null);
        options.forEach((name, value) -> {
            if (value != null) {
                // Spring Boot would make a list of both.
                arguments.removeIf(setting -> setting.startsWith("--" + name + "="));
                arguments.add("--" + name + "=" + value);
            }
        });
        return arguments;
    }

    /** Rejects options that no machine accepts. An address or a port that is taken is a start that fails. */
    private void requireValid() {
        if (port != null && (port < 0 || port > MAX_PORT)) {
            throw usage("--port is " + port + "; expected 0 to " + MAX_PORT);
        }
        if (listen != null) {
            try {
                address(listen);
            } catch (StartException e) {
                throw usage(String.valueOf(e.getMessage()));
            }
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec().commandLine(), message);
    }

    /** Checks the settings, and acquires the data folder, before the slow part of the start. */
    private void prepare(ConfigurableApplicationContext context) {
        ConfigurableEnvironment settings = context.getEnvironment();
        environment = settings;
        List<String> warnings = Settings.ofServer().check(settings);
        warnings.forEach(log::warn);
        StartFailure.requirePostgres(settings);
        InetAddress address = address(settings.getRequiredProperty("server.address"));
        int listening = Binder.get(settings).bind("server.port", Integer.class).get();
        BusyPort.requireFree(address, listening);
        Path folder = folder(Path.of(settings.getRequiredProperty("offsetd.data-dir")));
        DataFolderLock taken = DataFolderLock.acquire(folder);
        lock = taken;
        taken.tightened().ifPresent(log::warn);
        log.info(
                "starting on {} port {}, with data in {} and {}",
                address.getHostAddress(),
                listening,
                folder,
                StartFailure.databaseName(settings));
        context.getBeanFactory().addBeanPostProcessor(new EndOfStart());
        // The bean keeps a reference: the garbage collector closes unreachable files, which releases their locks.
        context.getBeanFactory().registerSingleton("dataFolderLock", taken);
        context.getBeanFactory().registerSingleton("startWarnings", new StartWarnings(warnings));
    }

    /**
     * Ends a start when the process was told to end. Spring's shutdown hook waits for the start, and closes the beans while the
     * rest of a start that came so far still uses them.
     */
    private final class EndOfStart implements BeanPostProcessor {

        @Override
        public Object postProcessBeforeInitialization(Object bean, String name) {
            if (isEnding) {
                throw new StartException("the process was told to end");
            }
            return bean;
        }
    }

    /** Reports a failed start in one line: of the log if its lines are for programs. */
    private void report(RuntimeException e) {
        String text = new StartFailure(e, environment).text();
        boolean isTraced = StartFailure.isTraced();
        if (System.getProperty(LoggingSystemProperty.CONSOLE_STRUCTURED_FORMAT.getEnvironmentVariableName()) != null) {
            log.error(text, isTraced ? e : null);
            return;
        }
        err().println("offsetd: " + text);
        if (isTraced) {
            e.printStackTrace(err());
        }
        err().flush();
    }

    private static InetAddress address(String listen) {
        try {
            return InetAddress.getByName(listen);
        } catch (UnknownHostException e) {
            throw new StartException("--listen is " + HostileText.quote(listen)
                    + "; expected an IP address or a host name of this machine");
        }
    }

    /** Returns the whole path of a data folder. */
    static Path folder(Path data) {
        return data.toAbsolutePath().normalize();
    }

    private PrintWriter err() {
        return spec().commandLine().getErr();
    }

    private CommandSpec spec() {
        return Objects.requireNonNull(spec, "picocli sets the command's model before it calls it");
    }
}
