package dev.offsetd.server;

import dev.offsetd.server.startup.AdminCommand;
import dev.offsetd.server.startup.BackupCommand;
import dev.offsetd.server.startup.RestoreCommand;
import dev.offsetd.server.startup.ServeCommand;
import dev.offsetd.server.startup.TokenCommand;
import dev.offsetd.server.startup.TrainCommand;
import java.util.Arrays;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import picocli.CommandLine;

/** Starts the server, or a command on its database. */
// Users are ours to check; Spring Boot would make one of its own.
@SpringBootApplication(proxyBeanMethods = false, exclude = UserDetailsServiceAutoConfiguration.class)
public class OffsetdServer {

    /**
     * Starts the server and leaves it running, or runs the command that the first argument names.
     *
     * @param args as {@code --help} says
     */
    public static void main(String[] args) {
        int exitCode = switch (args.length > 0 ? args[0] : "") {
            case TokenCommand.NAME -> run(new TokenCommand(), args);
            case AdminCommand.NAME -> run(new AdminCommand(), args);
            case BackupCommand.NAME -> run(new BackupCommand(), args);
            case RestoreCommand.NAME -> run(new RestoreCommand(), args);
            case TrainCommand.NAME -> run(new TrainCommand(OffsetdServer::application), args);
            default -> new CommandLine(new ServeCommand(OffsetdServer::application)).execute(args);
        };
        if (exitCode != ServeCommand.RUNNING) {
            System.exit(exitCode);
        }
        // Runs once the server has stopped. Left alone, a Java process that was told to stop ends with 143.
        SpringApplication.getShutdownHandlers().add(() -> Runtime.getRuntime().halt(0));
    }

    private static SpringApplication application() {
        return new SpringApplication(OffsetdServer.class);
    }

    /** Runs the command that the first argument names with the others. */
    private static int run(Object command, String... args) {
        return new CommandLine(command).execute(Arrays.copyOfRange(args, 1, args.length));
    }
}
