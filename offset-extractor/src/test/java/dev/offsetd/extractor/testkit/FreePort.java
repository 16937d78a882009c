package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for programs that listen later, and cannot choose a port themselves. */
public final class FreePort {

    private static final int FIRST = 12_000;

    /** First of the ports that Linux assigns to connections and listeners, which could take one before the program does. */
    private static final int END = 32_768;

    private FreePort() {}

    /** Returns a port on which no program listens. */
    public static int any() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (BindException taken) {
                // Another one is free.
            }
        }
    }
}
