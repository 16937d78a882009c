package dev.offsetd.server.watches;

import dev.offsetd.server.web.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of watches.
 *
 * @param defaults whether the watches that come with the server are on
 * @param poll time between looks for watches that are due
 * @param backoff delay after the first failed run of a watch; doubles with each failure, up to a day
 * @param bytesPerDay what all watches together may download on a day, in UTC
 * @param buildsPerRun builds that a run may store; the next run stores more
 * @param keep time for which an entry that was read is remembered after the place has removed it
 * @param allowedNetworks networks in CIDR notation that the URLs of watches may lead to, in addition to public addresses
 * @param folders folders that watches may read
 * @param credentials for the hosts of watches
 */
@ConfigurationProperties("offsetd.watches")
record WatchProperties(
        @DefaultValue("false") boolean defaults,
        @DefaultValue("15s") Duration poll,
        @DefaultValue("5m") Duration backoff,
        @DefaultValue("20GB") DataSize bytesPerDay,
        @DefaultValue("200") int buildsPerRun,
        @DefaultValue("90d") Duration keep,
        @DefaultValue List<String> allowedNetworks,
        @DefaultValue List<Path> folders,
        @DefaultValue List<Credential> credentials) {

    WatchProperties {
        allowedNetworks = List.copyOf(allowedNetworks);
        folders = List.copyOf(folders);
        credentials = List.copyOf(credentials);
        for (Path folder : folders) {
            if (!folder.isAbsolute()) {
                throw new IllegalArgumentException(
                        "offsetd.watches.folders has " + folder + "; expected an absolute path such as /srv/builds");
            }
        }
        if (!poll.isPositive()
                || !backoff.isPositive()
                || !keep.isPositive()
                || bytesPerDay.toBytes() <= 0
                || buildsPerRun <= 0) {
            throw new IllegalArgumentException(
                    "offsetd.watches: poll " + DurationText.of(poll) + ", backoff " + DurationText.of(backoff)
                            + ", keep " + DurationText.of(keep) + ", bytes-per-day " + bytesPerDay + ", builds-per-run "
                            + buildsPerRun
                            + "; expected more than 0 of each");
        }
    }

    /**
     * A user of a host. It is sent to no other host, also after a redirect; only to one that issues the tokens for it.
     *
     * @param host name without port
     * @param tokenHost name without port of the host that issues tokens; null for the same
     */
    record Credential(
            String host,
            String username,
            String password,
            @Nullable String tokenHost) {

        Credential {
            if (host == null || username == null || password == null) {
                throw new IllegalArgumentException(
                        "offsetd.watches.credentials[]: expected host, username and password");
            }
        }

        /** Returns whether a host issues the tokens. */
        boolean isTokenHost(String name) {
            return name.equalsIgnoreCase(tokenHost == null ? host : tokenHost);
        }
    }
}
