package dev.offsetd.server.browser;

import com.microsoft.playwright.Page;
import dev.offsetd.server.browser.Chromium.Window;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A server with something on every page, and a browser: started once for all tests of a JVM.
 *
 * @param properties what the server was started with, good for one more beside it
 * @param printed what it printed when it was ready
 */
// Never compared.
@SuppressWarnings("ArrayRecordComponent")
record Site(
        TestServer server, TestDatabase database, Chromium chromium, Sample sample, String[] properties, String printed) {

    /** Name of an admin whose password is {@link AdminClient#PASSWORD}. */
    static final String ADMIN = "ada";

    /** A short name, because it is in the pictures of the pages. */
    private static final Path FOLDER = Path.of("target", "site-" + System.getProperty("offsetd.fork", "1"));

    /** The folder of debug files that are made by tests. */
    static final Path CRAFTED = FOLDER.resolve("crafted");

    /** The site. */
    static Site get() {
        return Started.SITE;
    }

    /** A window in which the admin is signed in. */
    Page signedIn(Window window) {
        Page page = chromium.open(window);
        Visitor.signIn(page, server.url(), ADMIN, AdminClient.PASSWORD);
        return page;
    }

    private static final class Started {

        static final Site SITE = start();

        private static Site start() {
            // First: without it nothing else is needed.
            Chromium chromium = Chromium.start();
            try {
                Path folder = Files.createDirectories(FOLDER);
                Path local = CRAFTED;
                ShapesBuild.putInto(local);
                HostileBuild.putInto(local);
                LongNamesBuild.putInto(local);
                List<Path> releases = Sample.linkInto(folder);
                String folders = Stream.concat(Stream.of(local), releases.stream())
                        .map(Path::toString)
                        .collect(Collectors.joining(","));
                TestDatabase database = TestDatabase.create();
                String[] properties = {
                    "offsetd.offline=true", "offsetd.demand.flush=100ms", "offsetd.local-folders=" + folders
                };
                ByteArrayOutputStream printed = new ByteArrayOutputStream();
                PrintStream standard = System.out;
                System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
                TestServer server;
                try {
                    server = TestServer.start(folder.resolve("data"), database, properties);
                } finally {
                    System.setOut(standard);
                }
                AdminClient.makeUser(server, ADMIN, "admin");
                return new Site(
                        server,
                        database,
                        chromium,
                        Sample.fill(server, releases),
                        properties,
                        printed.toString(StandardCharsets.UTF_8));
            } catch (IOException e) {
                chromium.close();
                throw new UncheckedIOException(e);
            }
        }
    }
}
