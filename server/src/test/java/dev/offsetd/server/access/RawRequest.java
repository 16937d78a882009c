package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Requests written byte by byte, which no client library normalizes or rejects. */
final class RawRequest {

    /** Position of the status code in the first line. */
    private static final int STATUS = "HTTP/1.1 ".length();

    private static final int TIMEOUT_MILLIS = 20_000;

    private RawRequest() {}

    /**
     * Sends a request on a new connection.
     *
     * @param target request target, unescaped
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
     * Sends bytes and closes the output, so that a server that waits for more sees the end. The server must close the
     * connection.
     */
    static RawResponse send(int port, byte[] request) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            try {
                socket.getOutputStream().write(request);
                socket.shutdownOutput();
            } catch (SocketException e) {
                // The server refused it before reading it all; the response can still be read.
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

    /** @param headers whole lines */
    record RawResponse(int status, List<String> headers, String body) {

        /** Returns the value of the first header with this name; empty if there is none. */
        String header(String name) {
            return headers.stream()
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }
}
