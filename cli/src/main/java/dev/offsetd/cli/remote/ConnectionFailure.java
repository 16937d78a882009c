package dev.offsetd.cli.remote;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** Descriptions of calls without an answer. The JDK's exceptions often have no message, or a cause that has the reason. */
public final class ConnectionFailure {

    private ConnectionFailure() {}

    /** Describes in one line what failed, where, and what the user can do. */
    public static String describe(IOException e, URI server) {
        String place = server.getAuthority();
        return switch (e) {
            case ConnectException _
            when cause(e, UnresolvedAddressException.class).isPresent() ->
                "unknown host: " + server.getHost() + "; expected a name that resolves, or an address";
            case ConnectException _
            when e.getMessage() == null ->
                server.getPort() < 0 && server.getScheme().equals("http")
                        ? "connection refused: " + place + ":80; offsetd listens on port 8080 by default"
                        : "connection refused: " + place + "; no server is listening there";
            case HttpConnectTimeoutException _ ->
                "connection timed out: " + place + "; the host is down, or a firewall drops the connection";
            case HttpTimeoutException _ -> "no answer in time: " + place + "; the server may be overloaded";
            case SSLHandshakeException _
            when String.valueOf(e.getMessage()).contains("PKIX path") ->
                "TLS certificate not trusted: " + place + "; to trust its authority, set OFFSETD_JAVA_OPTS="
                        + "-Djavax.net.ssl.trustStore=FILE";
            case SSLException _
            when String.valueOf(e.getMessage()).contains("plaintext") ->
                "not a TLS server: " + place + "; expected http:// in the URL";
            case SSLException _ -> "TLS failed: " + place + ": " + e.getMessage();
            default ->
                cause(e, EOFException.class).isPresent()
                        ? "connection closed without an answer: " + place + "; a TLS server expects https:// in the URL"
                        : "no answer: " + place + ": " + reason(e);
        };
    }

    private static Optional<Throwable> cause(Throwable failure, Class<? extends Throwable> type) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return Optional.of(cause);
            }
        }
        return Optional.empty();
    }

    private static String reason(IOException e) {
        return Optional.ofNullable(e.getMessage())
                .filter(message -> !message.isBlank())
                .orElse(e.getClass().getSimpleName());
    }
}
