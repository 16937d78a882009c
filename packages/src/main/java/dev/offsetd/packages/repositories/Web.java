package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.input.HostileText;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * HTTP as the caller permits it. An implementation checks addresses, applies timeouts, and adds the credentials that are
 * configured for the host of a request. It follows no redirect; {@link Repository} does, and its requests say so.
 */
public interface Web {

    /**
     * Sends a GET request.
     *
     * @throws IOException if there is no response, or the address is forbidden
     */
    Response get(Request request) throws IOException;

    /** Returns a URL for messages, without its query, which may have signatures. */
    static String shown(URI uri) {
        return HostileText.quote(uri.getScheme() + "://" + uri.getAuthority() + uri.getPath());
    }

    /**
     * A request.
     *
     * @param uri an http or https URL
     * @param redirected whether a server chose the target: only public addresses are permitted, and no credentials are sent
     * @param tokensOf if it asks for a token, the host of the repository that needs it, whose credentials may be for this
     *     target, too; else null
     */
    record Request(
            URI uri,
            Map<String, String> headers,
            boolean redirected,
            @Nullable String tokensOf) {

        public Request {
            headers = Collections.unmodifiableMap(new TreeMap<>(headers));
        }
    }

    /** A response, whose body is streamed. */
    interface Response extends Closeable {

        int status();

        /** Returns the first header of this name, whose case does not matter. */
        Optional<String> header(String name);

        InputStream body() throws IOException;
    }
}
