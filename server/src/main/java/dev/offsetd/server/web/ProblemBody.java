package dev.offsetd.server.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.util.UriUtils;
import tools.jackson.databind.json.JsonMapper;

/** Renders problems: for Spring, for filters and for Tomcat, and as a part of a response. */
public final class ProblemBody {

    /** Omits missing members, but keeps null values of a problem's own members. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .changeDefaultPropertyInclusion(
                    inclusion -> JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .build();

    private static final String TYPE_PREFIX = "urn:offsetd:problem:";
    private static final String PATH_CHARACTERS = "-._~!$&'()*+,;=:@/%";

    private static final Pattern ABOUT_A_BUILD = Pattern.compile("/v1/[a-z]+/([^/]+)(?:/.*)?");

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private ProblemBody() {}

    /**
     * Renders the JSON body. Path and members may have text of the client, and so a token.
     *
     * @param path of the request, undecoded; null if it could not be parsed
     */
    static byte[] of(Problem problem, @Nullable String path, String requestId) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("type", TYPE_PREFIX + problem.code());
        body.put("title", problem.title());
        body.put("status", problem.status().value());
        body.put("detail", problem.detail());
        body.put("instance", path == null ? "" : asUriPath(path));
        body.put("code", problem.code());
        body.put("requestId", requestId);
        body.put("buildId", buildIdIn(path));
        body.putAll(problem.members());
        return TokenShape.redact(JSON.writeValueAsString(body)).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Renders a problem as a part of a response.
     *
     * @param instance path of what the problem is about
     */
    public static byte[] of(Problem problem, String instance, HttpServletRequest request) {
        return of(problem, instance, RequestIds.of(request));
    }

    /** Writes the response, which must not have been written to. */
    public static void write(Problem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        byte[] body = of(problem, request.getRequestURI(), request);
        response.setStatus(problem.status().value());
        problem.headers().forEach(response::setHeader);
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    static ResponseEntity<Object> answer(Problem problem, @Nullable String path, HttpServletRequest request) {
        HttpHeaders headers = new HttpHeaders();
        problem.headers().forEach(headers::set);
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return new ResponseEntity<>(of(problem, path, RequestIds.of(request)), headers, problem.status());
    }

    /** Returns the build-id in the path, which is parsed here, because problems also come from filters and Tomcat. */
    private static @Nullable String buildIdIn(@Nullable String path) {
        try {
            Matcher matcher = ABOUT_A_BUILD.matcher(path == null ? "" : path);
            // Decoded after splitting, because an escaped slash is not a separator.
            return matcher.matches()
                    ? BuildId.parseKey(UriUtils.decode(matcher.group(1), StandardCharsets.UTF_8))
                            .toString()
                    : null;
        } catch (IllegalArgumentException none) {
            return null;
        }
    }

    /** Escapes the characters that a URI does not allow. Escapes in the path stay. */
    private static String asUriPath(String path) {
        StringBuilder out = new StringBuilder(path.length());
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || PATH_CHARACTERS.indexOf(c) >= 0);
            if (plain) {
                out.append(c);
            } else {
                out.append('%').append(HEX.toHexDigits(b));
            }
        }
        return out.toString();
    }
}
