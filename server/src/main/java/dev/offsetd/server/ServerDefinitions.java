package dev.offsetd.server;

import org.springframework.boot.SpringApplication;

/**
 * Main class of the run in which the build generates the bean definitions, and namesake of the result. The run ends before a
 * bean exists: decision 2510.
 */
final class ServerDefinitions {

    private ServerDefinitions() {}

    static void main(String[] args) {
        application().run(args);
    }

    /** Returns the application of the server, which uses the generated definitions if {@code spring.aot.enabled} is set. */
    static SpringApplication application() {
        SpringApplication application = new SpringApplication(OffsetdServer.class);
        application.setMainApplicationClass(ServerDefinitions.class);
        return application;
    }
}
