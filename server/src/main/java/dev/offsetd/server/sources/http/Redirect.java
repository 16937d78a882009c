package dev.offsetd.server.sources.http;

import dev.offsetd.extractor.input.HostileText;
import okhttp3.HttpUrl;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Rules for redirects. OkHttp does not follow them for this server, because the upstream chooses their targets. */
public final class Redirect {

    /** Limit of redirects for one file. */
    public static final int MAX = 3;

    private Redirect() {}

    public static boolean is(Response response) {
        return switch (response.code()) {
            case 301, 302, 303, 307, 308 -> true;
            default -> false;
        };
    }

    /**
     * Returns the target of a redirect.
     *
     * @throws BadResponseException if it is not an http or https URL, or leads from https to http
     */
    public static HttpUrl target(HttpUrl from, @Nullable String location) throws BadResponseException {
        if (location == null) {
            throw new BadResponseException("redirect without a Location header");
        }
        HttpUrl target = from.resolve(location);
        if (target == null) {
            throw new BadResponseException(
                    "redirect to " + HostileText.quote(location) + "; expected an http or https URL");
        }
        if (from.isHttps() && !target.isHttps()) {
            throw new BadResponseException("redirect from https to " + HostileText.quote(target.redact()));
        }
        return target;
    }
}
