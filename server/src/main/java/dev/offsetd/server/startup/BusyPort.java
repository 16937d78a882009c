package dev.offsetd.server.startup;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Optional;

/** Checks that the port is free before the slow part of the start. */
final class BusyPort {

    private BusyPort() {}

    /** @throws StartException if the port is taken, or the address is not one of this machine */
    static void requireFree(InetAddress address, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(address, port));
        } catch (IllegalArgumentException e) {
            throw new StartException("--port " + port + " is out of range; expected 0 to 65535");
        } catch (IOException e) {
            if (e instanceof BindException && String.valueOf(e.getMessage()).contains("in use")) {
                throw busy(address.getHostAddress(), port, "--port");
            }
            throw new StartException("cannot listen on " + address.getHostAddress() + " port " + port + ": "
                    + e.getMessage() + "; choose another with --listen or --port");
        }
    }

    /**
     * Returns the exception for a port that is in use.
     *
     * @param setting that chooses the port
     */
    static StartException busy(String address, int port, String setting) {
        Optional<ListeningProcess.ProcessDescription> holder = ListeningProcess.find(Path.of("/proc"), port);
        return new StartException("port " + port + " on " + address + " is taken by "
                + holder.map(ListeningProcess.ProcessDescription::toString)
                        .orElse("a process that cannot be identified")
                + "; stop it, or choose another port with " + setting);
    }
}
