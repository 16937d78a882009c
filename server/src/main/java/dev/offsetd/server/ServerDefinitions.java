package dev.offsetd.server;

import dev.offsetd.server.startup.GeneratedDefinitions;
import org.springframework.boot.SpringApplication;

/**
 * Main class of the run in which the build generates the bean definitions, and namesake of the result. The run ends before a
 * bean exists: docs/rationale/startup.md.
 */
public final class ServerDefinitions {

    private ServerDefinitions() {}

    static void main(String[] args) {
        application().run(args);
    }

    /**
     * Returns the application of the server. It uses the generated definitions if {@code spring.aot.enabled} is set and the
     * settings allow it.
     */
    public static SpringApplication application() {
        SpringApplication application = new SpringApplication(OffsetdServer.class);
        application.setMainApplicationClass(ServerDefinitions.class);
        application.addListeners(new GeneratedDefinitions());
        return application;
    }
}
