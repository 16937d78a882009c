package dev.offsetd.server.startup;

import dev.offsetd.server.database.DataFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * AOT cache (JEP 514) from which the launcher starts this program. Warns if there is one that the JVM does not use, and has one
 * made for later starts once this server is ready, at the lowest priority, so that training delays neither the start nor requests.
 */
@Component
class AotCache implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(AotCache.class);
    private static final String PREFIX = "offsetd: ";

    private final String file;
    private final String trainedBy;
    private @Nullable Process training;

    /**
     * @param file empty if this start has none, because the user decides about archives of the JVM
     * @param trainedBy script with the function that trains; empty for no training
     */
    AotCache(@Value("${offsetd.aot:}") String file, @Value("${offsetd.trained-by:}") String trainedBy) {
        this.file = file;
        this.trainedBy = trainedBy;
    }

    @EventListener
    void whenReady(AvailabilityChangeEvent<ReadinessState> event) throws IOException {
        if (file.isEmpty() || event.getState() != ReadinessState.ACCEPTING_TRAFFIC) {
            return;
        }
        Path cache = Path.of(file);
        String reason = Files.exists(cache) ? unusable(cache) : "";
        if (!reason.isEmpty()) {
            log.warn("starts are slower than they need be: the AOT cache {} {}", cache, reason);
        }
        if (!trainedBy.isEmpty()) {
            train(cache.resolveSibling(""));
        }
    }

    /** Returns why this JVM does not use the cache; empty if it does. */
    static String unusable(Path cache) throws IOException {
        if (!Files.isReadable(cache)) {
            return "cannot be read by " + DataFolder.account();
        }
        if (Files.size(cache) == 0) {
            return "is empty, because its training failed: see training.log beside it";
        }
        Path folder = Path.of(cache + ".folder");
        String madeIn = Files.isReadable(folder) ? Files.readString(folder).strip() : "an unknown folder";
        if (!madeIn.equals(String.valueOf(cache.getParent()))) {
            return "was made in " + madeIn
                    + ": remove it, and train it here by \"offsetd serve\" as a user who may write";
        }
        boolean isGiven =
                ManagementFactory.getRuntimeMXBean().getInputArguments().contains("-XX:AOTCache=" + cache);
        return isGiven && System.getProperty("java.vm.info", "").contains("sharing")
                ? ""
                : "is refused by this JVM: OFFSETD_JAVA_OPTS=-Xlog:aot shows why";
    }

    private void train(Path folder) {
        Process process;
        try {
            process = new ProcessBuilder(
                            "nice",
                            "-n",
                            "19",
                            "sh",
                            "-c",
                            ". \"$0\" && train_server \"$1\"",
                            trainedBy,
                            folder.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            log.warn("no AOT cache, so starts are slower: {}", e.getMessage());
            return;
        }
        training = process;
        Thread.ofVirtual().name("training").start(() -> report(process));
    }

    /** Logs what the launcher's function would tell a terminal. */
    private static void report(Process process) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                log.info(line.startsWith(PREFIX) ? line.substring(PREFIX.length()) : line);
            }
        } catch (IOException e) {
            log.debug("the training run has no output any more", e);
        }
    }

    /** Ends the training. The next start repeats it. */
    @Override
    public void destroy() {
        if (training != null) {
            training.destroy();
        }
    }
}
