package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A request written by hand: no library straightens its path, or refuses to send it. */
final class RawRequest {

    /** Where the status stands in the first line, after the version of HTTP. */
    private static final int STATUS = "HTTP/1.1 ".length();

    private static final int TIMEOUT_MILLIS = 20_000;

    private RawRequest() {}

    /**
     * Sends a request on a connection of its own.
     *
     * @param target what stands behind the method
     * @param headers whole lines
     */
    static RawResponse send(int port, String method, String target, String... headers) {
        StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        request.append("Connection: close\r\n\r\n");
        return send(port, request.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Sends bytes as they are, and nothing after them: whoever waits for more learns that there is none. The server has to close
     * the connection.
     */
    static RawResponse send(int port, byte[] request) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            try {
                socket.getOutputStream().write(request);
                socket.shutdownOutput();
            } catch (SocketException e) {
                // Refused before it was read to its end; the answer is there all the same.
            }
            String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int end = response.indexOf("\r\n\r\n");
            if (end < 0) {
                throw new IOException("no response, but " + HostileText.quote(response));
            }
            List<String> head = response.substring(0, end).lines().toList();
            return new RawResponse(
                    Integer.parseInt(head.getFirst().substring(STATUS, STATUS + 3)),
                    head.subList(1, head.size()),
                    response.substring(end + 4));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What came back.
     *
     * @param headers whole lines
     */
    record RawResponse(int status, List<String> headers, String body) {

        /** The value of the first header with this name; empty text if there is none. */
        String header(String name) {
            return headers.stream()
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }
}
