package dev.offsetd.server;

import dev.offsetd.server.startup.ServeCommand;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import picocli.CommandLine;

/** Starts the server. */
// There are no users with passwords; Spring Boot would make one.
@SpringBootApplication(proxyBeanMethods = false, exclude = UserDetailsServiceAutoConfiguration.class)
public class OffsetdServer {

    /**
     * Starts the server and leaves it running.
     *
     * @param args as {@code --help} says
     */
    public static void main(String[] args) {
        int exitCode =
                new CommandLine(new ServeCommand(() -> new SpringApplication(OffsetdServer.class))).execute(args);
        if (exitCode != ServeCommand.RUNNING) {
            System.exit(exitCode);
        }
    }
}
