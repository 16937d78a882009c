package dev.offsetd.server;

import dev.offsetd.server.startup.ServeCommand;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import picocli.CommandLine;

/** Starts the server. */
@SpringBootApplication(proxyBeanMethods = false)
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
        // Runs once the server has stopped. Left alone, a Java process that was told to stop ends with 143.
        SpringApplication.getShutdownHandlers().add(() -> Runtime.getRuntime().halt(0));
    }
}
