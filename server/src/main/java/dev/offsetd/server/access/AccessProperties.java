package dev.offsetd.server.access;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Access to the API.
 *
 * @param readAuth whether reading needs a token
 * @param trustedProxies IP addresses and networks ({@code 10.0.0.0/8}) of the proxies whose forwarded headers are used
 */
@ConfigurationProperties("offsetd")
record AccessProperties(
        @DefaultValue("false") boolean readAuth,
        @DefaultValue List<String> trustedProxies) {}
