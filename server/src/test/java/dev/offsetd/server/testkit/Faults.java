package dev.offsetd.server.testkit;

import dev.offsetd.server.ServerDefinitions;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.startup.ServeCommand;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import picocli.CommandLine;

/**
 * The server program with faults that a request triggers: {@code GET /version?fault=NAME}. It is on the class path of
 * tests only.
 */
public final class Faults implements WebMvcConfigurer, HandlerInterceptor {

    private static final int BLOCK = 1 << 20;

    /** Free bytes that remain in a nearly full heap. */
    private static final long FREE_BYTES = 8L * BLOCK;

    private static final List<byte[]> HELD = new ArrayList<>();

    /** Whether work that never ends leaves the processors to others. */
    private static volatile boolean resting;

    private final ConfigurableApplicationContext context;

    private Faults(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts the server as its regular main class does. */
    public static void main(String[] args) {
        int exitCode = new CommandLine(new ServeCommand(() -> {
                    SpringApplication spring = ServerDefinitions.application();
                    spring.addInitializers(context -> {
                        if (context instanceof GenericApplicationContext generic) {
                            generic.registerBean("faults", WebMvcConfigurer.class, () -> new Faults(generic));
                        }
                    });
                    return spring;
                }))
                .execute(args);
        if (exitCode != ServeCommand.RUNNING) {
            System.exit(exitCode);
        }
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws Exception {
        String fault = request.getParameter("fault");
        switch (fault == null ? "" : fault) {
            case "" -> {}
            case "heap" -> hold(() -> new byte[BLOCK]);
            case "most-of-heap" -> holdMost();
            case "direct" -> hold(() -> ByteBuffer.allocateDirect(BLOCK));
            case "direct-in-thread" -> Thread.ofPlatform().start(() -> hold(() -> ByteBuffer.allocateDirect(BLOCK)));
            case "direct-in-task" ->
                new PeriodicTasks()
                        .add("failing", Duration.ofMillis(1), () -> hold(() -> ByteBuffer.allocateDirect(BLOCK)));
            case "stack" -> recurse(1);
            case "compute" -> fillPools();
            case "read" -> holdReading();
            case "rest" -> resting = true;
            case "carriers" -> hog(task -> Thread.ofVirtual().name("hog").start(task));
            case "acceptor" -> stop(field(endpoint(), "acceptor"), "stopMillis", 0);
            case "poller" -> stop(field(endpoint(), "poller"), "destroy");
            default -> throw new IllegalArgumentException(fault);
        }
        return true;
    }

    private static void holdMost() {
        boolean grown = true;
        while (grown) {
            // Garbage counts as used until it is collected.
            System.gc();
            grown = false;
            while (freeBytes() > FREE_BYTES) {
                HELD.add(new byte[BLOCK]);
                grown = true;
            }
        }
    }

    private static long freeBytes() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
    }

    private interface Allocation {
        Object make();
    }

    private static void hold(Allocation allocation) {
        List<Object> held = new ArrayList<>();
        while (held.size() < Integer.MAX_VALUE) {
            held.add(allocation.make());
        }
    }

    /** Gives every pool more work than it has threads, which never ends. */
    private void fillPools() {
        for (ComputePool pool : context.getBeansOfType(ComputePool.class).values()) {
            hog(task -> {
                var _ = pool.submit(
                        () -> {
                            task.run();
                            return "";
                        },
                        Duration.ofHours(1));
            });
        }
    }

    /** Extracts a build, and spins in the thread that reads its file when it has read the types. */
    private void holdReading() {
        if (context.getBean(Extractions.class).request(SmallBuild.ID) instanceof BuildStatus.InProgress running) {
            var _ = running.allTypes().thenAccept(_ -> spin());
        }
    }

    private static void hog(Consumer<Runnable> starter) {
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            starter.accept(Faults::spin);
        }
    }

    private static void spin() {
        while (true) {
            Thread.onSpinWait();
            while (resting) {
                LockSupport.parkNanos(Long.MAX_VALUE);
            }
        }
    }

    private static int recurse(int depth) {
        return depth == 0 ? 0 : 1 + recurse(depth + 1);
    }

    private Object endpoint() throws ReflectiveOperationException {
        if (context instanceof WebServerApplicationContext web
                && web.getWebServer() instanceof TomcatWebServer tomcat) {
            Method endpoint = AbstractProtocol.class.getDeclaredMethod("getEndpoint");
            endpoint.setAccessible(true);
            return endpoint.invoke(tomcat.getTomcat().getConnector().getProtocolHandler());
        }
        throw new IllegalStateException("no Tomcat");
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(of);
                }
            }
        }
        throw new NoSuchFieldException(name);
    }

    /** Stops one of Tomcat's threads the next time that it checks its state. */
    private static void stop(Object target, String method, int... argument) throws ReflectiveOperationException {
        Method stop = argument.length == 0
                ? target.getClass().getDeclaredMethod(method)
                : target.getClass().getMethod(method, int.class);
        stop.setAccessible(true);
        if (argument.length == 0) {
            stop.invoke(target);
        } else {
            stop.invoke(target, argument[0]);
        }
    }
}
