package dev.offsetd.server.startup;

import dev.offsetd.server.database.SchemaBaseline;
import dev.offsetd.server.database.SchemaBaselineException;
import dev.offsetd.server.health.FatalErrors;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.NestedExceptionUtils;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the server. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = false,
        sortOptions = false,
        description = {
            "Answers queries for struct layouts by build-id.",
            "",
            "Without a configured database (SPRING_DATASOURCE_URL), it runs an embedded one with its data in DIR.",
            "Upstreams are those of DEBUGINFOD_URLS, or else the public federation."
        },
        footer = {
            "",
            "Exit codes: 0 stopped, 1 could not start, 2 invalid options, 3 ended by a fatal error: start it again."
        })
public final class ServeCommand implements Callable<Integer> {

    /** Returned instead of an exit code while the server runs. */
    public static final int RUNNING = -1;

    private static final int FAILED = 1;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "address to listen on; 0.0.0.0 for all (default: ${DEFAULT-VALUE})")
    private String listen = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "port to listen on (default: ${DEFAULT-VALUE})")
    private int port = 8080;

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

    @Spec
    private @Nullable CommandSpec spec;

    private final Supplier<SpringApplication> application;

    /** @param application creates the application */
    public ServeCommand(Supplier<SpringApplication> application) {
        this.application = application;
    }

    @Override
    public Integer call() {
        try {
            return serve();
        } catch (StartException e) {
            err().println("offsetd: " + e.getMessage());
            err().flush();
            return FAILED;
        }
    }

    private int serve() throws StartException {
        FatalErrors.haltOnUncaught();
        InetAddress address = address();
        Path folder = folder(data);
        BusyPort.requireFree(address, port);
        // Held until the process ends.
        DataFolderLock lock = DataFolderLock.take(folder);
        lock.tightened().ifPresent(change -> {
            err().println("offsetd: " + change);
            err().flush();
        });
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("server.address", address.getHostAddress());
        properties.put("server.port", port);
        properties.put("offsetd.data-dir", folder.toString());
        if (offline) {
            properties.put("offsetd.offline", true);
        }
        SpringApplication spring = application.get();
        List<String> arguments = new ArrayList<>();
        properties.forEach((name, value) -> arguments.add("--" + name + "=" + value));
        spring.setRegisterShutdownHook(true);
        // Keeps a reference: the garbage collector closes unreachable files, which releases their locks.
        spring.addInitializers(context -> context.getBeanFactory().registerSingleton("dataFolderLock", lock));
        try {
            spring.run(arguments.toArray(String[]::new));
            return RUNNING;
        } catch (RuntimeException e) {
            lock.close();
            throw failure(e, address);
        }
    }

    private StartException failure(RuntimeException e, InetAddress address) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof PortInUseException) {
                return BusyPort.busy(address, port);
            }
            if (cause instanceof SchemaBaselineException) {
                return new StartException(SchemaBaseline.REFUSAL);
            }
        }
        Throwable root = NestedExceptionUtils.getMostSpecificCause(e);
        String bean = e instanceof BeanCreationException creation && creation.getBeanName() != null
                ? " (" + creation.getBeanName() + ")"
                : "";
        return new StartException("the server did not start" + bean + ": " + root.getMessage());
    }

    private InetAddress address() throws StartException {
        try {
            return InetAddress.getByName(listen);
        } catch (UnknownHostException e) {
            throw new StartException(
                    "--listen " + listen + " is not an address of this machine; expected an IP address or a host name");
        }
    }

    /** Returns the data folder that {@code --data} names, or the default. */
    static Path folder(@Nullable Path data) {
        return (data != null ? data : Path.of(System.getProperty("user.home"), ".offsetd"))
                .toAbsolutePath()
                .normalize();
    }

    private PrintWriter err() {
        if (spec == null) {
            throw new IllegalStateException("picocli sets the command's model before it calls it");
        }
        return spec.commandLine().getErr();
    }
}
