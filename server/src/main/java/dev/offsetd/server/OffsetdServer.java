package dev.offsetd.server;

import dev.offsetd.server.startup.AdminCommand;
import dev.offsetd.server.startup.BackupCommand;
import dev.offsetd.server.startup.CommandLines;
import dev.offsetd.server.startup.RestoreCommand;
import dev.offsetd.server.startup.ServeCommand;
import dev.offsetd.server.startup.StoreCommand;
import dev.offsetd.server.startup.TokenCommand;
import dev.offsetd.server.startup.TrainCommand;
import dev.offsetd.server.startup.UnpackCommand;
import java.util.Arrays;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.metrics.TomcatMetricsAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

/** Entry point of the server and of the commands on its database. */
// Without the first exclusion, Spring Boot would create a default user. The others would search each method of each
// bean for annotations that the server does not have, and measure the sessions of Tomcat, of which it keeps none.
@ConfigurationPropertiesScan
@SpringBootApplication(
        proxyBeanMethods = false,
        exclude = {
            UserDetailsServiceAutoConfiguration.class,
            AopAutoConfiguration.class,
            TransactionAutoConfiguration.class,
            TomcatMetricsAutoConfiguration.class
        })
public class OffsetdServer {

    /**
     * Runs the command that the first argument names, by default the server, which keeps running.
     *
     * @param args as printed by {@code --help}
     */
    public static void main(String[] args) {
        int exitCode = switch (args.length > 0 ? args[0] : "") {
            case TokenCommand.NAME -> run(new TokenCommand(), args);
            case AdminCommand.NAME -> run(new AdminCommand(), args);
            case BackupCommand.NAME -> run(new BackupCommand(), args);
            case RestoreCommand.NAME -> run(new RestoreCommand(), args);
            case StoreCommand.NAME -> run(new StoreCommand(), args);
            case UnpackCommand.NAME -> run(new UnpackCommand(), args);
            case TrainCommand.NAME -> run(new TrainCommand(ServerDefinitions::application), args);
            default ->
                CommandLines.of(new ServeCommand(ServerDefinitions::application))
                        .execute(args);
        };
        if (exitCode != ServeCommand.RUNNING) {
            System.exit(exitCode);
        }
        // Runs after the server has stopped. By default, a Java process that receives SIGTERM exits with 143.
        SpringApplication.getShutdownHandlers().add(() -> Runtime.getRuntime().halt(0));
    }

    private static int run(Object command, String... args) {
        return CommandLines.of(command).execute(Arrays.copyOfRange(args, 1, args.length));
    }
}
