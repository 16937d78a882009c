package dev.offsetd.server.access;

import io.swagger.v3.oas.models.media.Schema;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Generator of random requests: close enough to valid ones to reach the code behind the parsers, and mostly invalid. */
final class FuzzedRequests {

    /** Inputs that have broken other servers; each {@code char} is one byte. */
    private static final List<String> HOSTILE = Stream.of(
                    "",
                    " ",
                    "\0",
                    "a\0b",
                    "\1",
                    "\u001b[2J",
                    "\u007f",
                    "\u0080",
                    "\u0085",
                    "a\u009fb",
                    "\u00ff",
                    "\u00c2\u0085",
                    "\u00c2\u009f",
                    "\u00ed\u00a0\u0080",
                    "\u00c0\u00af",
                    "\u00f0\u009f\u0098\u0080",
                    "\u00e2\u0080\u00ae",
                    "\u00e2\u0080\u00a8",
                    "\u00ef\u00bb\u00bf",
                    "\u00ef\u00bf\u00bf",
                    "%",
                    "%%",
                    "%zz",
                    "%00",
                    "%c2%85",
                    "&",
                    "=",
                    "+",
                    "#",
                    ";",
                    ",",
                    ",,,,",
                    "/",
                    "//",
                    "\\",
                    "..",
                    "../../etc/passwd",
                    ".",
                    "*",
                    "**",
                    "?",
                    "|",
                    "\"",
                    "'",
                    "`",
                    "$",
                    "${jndi:ldap://x}",
                    "{{7*7}}",
                    "<b>",
                    "<",
                    "<<",
                    ">",
                    "[",
                    "]",
                    "[]",
                    "[[",
                    "[!a]",
                    "[!a-z]*[",
                    "(",
                    "((",
                    ")",
                    "{",
                    "}",
                    "()",
                    "\t",
                    "\r\n",
                    "\n",
                    "0",
                    "-0",
                    "-1",
                    "1",
                    "1.5",
                    "1e9",
                    "1e400",
                    "NaN",
                    "Infinity",
                    "0x",
                    "0x0",
                    "0xffffffffffffffff",
                    "0x10000000000000000",
                    "2147483647",
                    "2147483648",
                    "4294967296",
                    "9223372036854775807",
                    "9223372036854775808",
                    "99999999999999999999",
                    "null",
                    "true",
                    "false",
                    "undefined",
                    "none",
                    "0000-00-00T00:00:00Z",
                    "2030-01-31T12:00:00Z",
                    "+999999999-12-31T23:59:59Z",
                    "-999999999-01-01T00:00:00Z",
                    "-4713-01-01T00:00:00Z",
                    "+294277-01-01T00:00:00Z",
                    "2030-02-30T00:00:00Z",
                    "00000000-0000-0000-0000-000000000000",
                    "a' or '1'='1",
                    "'; drop table builds; --",
                    "a%' or q like '%",
                    "symbol *",
                    "symbol [",
                    "symbol [!",
                    "enumerator",
                    "enumerator ",
                    "tls",
                    "tls|tls",
                    "@",
                    "@ruby",
                    "@nope",
                    "@ruby|a",
                    "struct",
                    "struct ",
                    "struct point",
                    "point.x",
                    "point[9223372036854775807]",
                    "point..x",
                    "point->x",
                    "a|b|",
                    "point+4",
                    "point + 0x4",
                    "point+-1",
                    "\"point\".x",
                    "operator<",
                    "std::vector<int>",
                    "wait=1",
                    "wait=99999999999",
                    "wait=\"1",
                    "bytes=0-",
                    "bytes 0-1/2",
                    "bytes=0-0,1-1,-1",
                    "W/\"x\"",
                    "\"\"",
                    "\"",
                    "text/html",
                    "text/html;q=x",
                    ";q=1",
                    "*/*",
                    "a/b;c=\"",
                    "application/json;charset=x",
                    "application/json;charset=utf-16",
                    "gzip",
                    "gzip;q=Infinity",
                    "*;q=0",
                    "Bearer",
                    "Bearer ",
                    "Bearer x",
                    "Basic eA==",
                    "100-continue",
                    "chunked",
                    "identity",
                    "for=\"[::1]\"",
                    "127.0.0.1, ::1")
            .toList();

    /** Headers that the server, its framework or its container reads. */
    private static final List<String> HEADERS = List.of(
            "Accept",
            "Accept-Charset",
            "Accept-Encoding",
            "Accept-Language",
            "Access-Control-Request-Headers",
            "Access-Control-Request-Method",
            "Authorization",
            "Baggage",
            "Cache-Control",
            "Content-Digest",
            "Content-Disposition",
            "Content-Encoding",
            "Content-Language",
            "Content-Length",
            "Content-Range",
            "Content-Type",
            "Cookie",
            "Date",
            "Expect",
            "Forwarded",
            "Host",
            "HX-Request",
            "HX-Target",
            "HX-Current-URL",
            "If-Match",
            "If-Modified-Since",
            "If-None-Match",
            "If-Range",
            "If-Unmodified-Since",
            "Origin",
            "Prefer",
            "Range",
            "Referer",
            "TE",
            "Trailer",
            "Transfer-Encoding",
            "Upgrade",
            "User-Agent",
            "X-CSRF-TOKEN",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "X-Forwarded-Port",
            "X-Forwarded-Prefix",
            "X-Forwarded-Proto",
            "X-HTTP-Method-Override",
            "X-Request-ID",
            "b3",
            "traceparent",
            "tracestate");

    private static final List<String> MEDIA_TYPES = List.of(
            "application/json",
            "application/json;charset=utf-8",
            "application/cbor",
            "application/octet-stream",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain",
            "application/problem+json");

    private static final List<String> METHODS =
            List.of("HEAD", "OPTIONS", "TRACE", "PATCH", "GET", "POST", "PUT", "DELETE", "QUERY", "get", "X");

    private static final String WORDS = "abcxyz019_.:*?[]<>(){}|,\"'@ \\/-+%&=\0\u0085\u00c3\u00bc\u00ff";

    private final List<FuzzTarget> contract;
    private final List<FuzzTarget> pages;
    private final List<String> ids;
    private final List<String> builds;
    private final byte[] file;

    /**
     * @param ids existing ids
     * @param builds build-ids, most of them known
     * @param file a debug file
     */
    FuzzedRequests(
            List<FuzzTarget> contract, List<FuzzTarget> pages, List<String> ids, List<String> builds, byte[] file) {
        this.contract = contract;
        this.pages = pages;
        this.ids = ids;
        this.builds = builds;
        this.file = file.clone();
    }

    @SuppressWarnings("ArrayRecordComponent")
    record Request(FuzzTarget target, byte[] bytes) {}

    /**
     * Returns a random request.
     *
     * @param tokens to authorize API requests
     * @param browser headers of a signed-in user
     */
    Request next(Random random, Map<Scope, String> tokens, List<String> browser) {
        List<FuzzTarget> targets = random.nextInt(3) == 0 ? pages : contract;
        FuzzTarget target = one(targets, random);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Host", "localhost");
        headers.put("Connection", "close");
        if (target.isPage()) {
            for (String header : browser) {
                int colon = header.indexOf(':');
                headers.put(header.substring(0, colon), header.substring(colon + 2));
            }
        } else if (random.nextInt(8) > 0) {
            headers.put("Authorization", "Bearer " + tokens.get(one(List.of(Scope.values()), random)));
        }
        String method = random.nextInt(25) == 0 ? one(METHODS, random) : target.method();
        StringBuilder line = new StringBuilder(path(target, random));
        boolean form = target.isPage() && method.equals("POST");
        String parameters = parameters(target, random);
        if (!form && !parameters.isEmpty()) {
            line.append('?').append(parameters);
        }
        byte[] body = {};
        if (form) {
            headers.put("Content-Type", "application/x-www-form-urlencoded");
            body = parameters.getBytes(StandardCharsets.ISO_8859_1);
        } else if (!target.bodies().isEmpty()) {
            String type = one(List.copyOf(target.bodies().keySet()), random);
            headers.put("Content-Type", type);
            body = body(target, type, random);
        }
        if (body.length > 0 || method.startsWith("P")) {
            headers.put("Content-Length", Integer.toString(body.length));
        }
        target.headers().forEach((name, schema) -> {
            if (random.nextInt(3) == 0) {
                headers.put(name, lineOf(text(target, schema, random)));
            }
        });
        for (int more = random.nextInt(3); more > 0; more--) {
            headers.put(one(HEADERS, random), lineOf(text(target, null, random)));
        }
        if (random.nextInt(40) == 0) {
            headers.put("Content-Type", one(MEDIA_TYPES, random));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String head = method + ' ' + line + " HTTP/1.1\r\n"
                + headers.entrySet().stream()
                        .map(header -> header.getKey() + ": " + header.getValue() + "\r\n")
                        .collect(Collectors.joining())
                + "\r\n";
        bytes.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        bytes.writeBytes(body);
        return new Request(target, bytes.toByteArray());
    }

    private static <T> T one(List<T> choices, Random random) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Removes line ends, which would make the value of a header two headers. */
    private static String lineOf(String text) {
        return text.replace("\r", "").replace("\n", "");
    }

    private String path(FuzzTarget target, Random random) {
        StringBuilder path = new StringBuilder();
        for (String part : target.path().replace("**", "mark.svg").split("(?=\\{)|(?<=})", -1)) {
            if (!part.startsWith("{")) {
                path.append(part);
            } else if (random.nextInt(4) > 0) {
                path.append(
                        part.equals("{buildId}")
                                ? one(builds, random)
                                : one(
                                        Stream.concat(ids.stream(), Stream.of("ruby", "own", "isf", "btf"))
                                                .toList(),
                                        random));
            } else {
                path.append(escaped(hostile(random), random));
            }
        }
        return path.toString();
    }

    private String parameters(FuzzTarget target, Random random) {
        List<String> parameters = new ArrayList<>();
        target.query().forEach((name, schema) -> {
            if (random.nextInt(3) > 0) {
                parameters.add(name + '=' + escaped(text(target, schema, random), random));
            }
        });
        if (random.nextInt(12) == 0) {
            parameters.add(escaped(hostile(random), random));
        }
        if (random.nextInt(12) == 0 && !parameters.isEmpty()) {
            parameters.add(one(parameters, random));
        }
        return String.join("&", parameters);
    }

    /** Percent-encodes the text; sometimes only as far as a request line needs. */
    private static String escaped(String text, Random random) {
        boolean sloppy = random.nextInt(12) == 0;
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean plain = sloppy
                    ? c > ' ' && c != '#'
                    : (c >= '0' && c <= '9')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= 'a' && c <= 'z')
                            || "-._~:@".indexOf(c) >= 0;
            if (plain) {
                out.append(c);
            } else {
                out.append(String.format("%%%02x", (int) c & 0xff));
            }
        }
        return out.toString();
    }

    /** Returns a value for a parameter or header: valid, nearly valid, or hostile. */
    private String text(FuzzTarget target, @Nullable Schema<?> schema, Random random) {
        if (random.nextInt(3) == 0) {
            return hostile(random);
        }
        Object valid = schema == null
                ? one(List.of("point", "line.from.x", "@ruby"), random)
                : value(target, schema, random, 0);
        String text = valid instanceof String given ? given : String.valueOf(valid);
        return random.nextInt(4) == 0 ? mutated(text, random) : text;
    }

    private String hostile(Random random) {
        return switch (random.nextInt(10)) {
            case 0 -> one(HOSTILE, random).repeat(1 + random.nextInt(40));
            case 1 -> one(HOSTILE, random).repeat(300);
            case 2 -> random(random, random.nextInt(60));
            case 3 -> one(HOSTILE, random) + one(HOSTILE, random);
            case 4 -> one(ids, random);
            case 5 -> one(builds, random);
            case 6 -> cursor(random);
            default -> one(HOSTILE, random);
        };
    }

    private static String random(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(WORDS.charAt(random.nextInt(WORDS.length())));
        }
        return text.toString();
    }

    /** Returns a cursor of a list, with random bytes as its position. */
    private static String cursor(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(40)];
        random.nextBytes(bytes);
        bytes[0] = (byte) ('a' + random.nextInt(26));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String mutated(String text, Random random) {
        int at = text.isEmpty() ? 0 : random.nextInt(text.length());
        return switch (random.nextInt(5)) {
            case 0 -> text.substring(0, at);
            case 1 -> text.substring(0, at) + one(HOSTILE, random) + text.substring(at);
            case 2 -> text + text;
            case 3 -> text.substring(at) + text.substring(0, at);
            default -> text.substring(0, at) + WORDS.charAt(random.nextInt(WORDS.length())) + text.substring(at);
        };
    }

    private byte[] body(FuzzTarget target, String type, Random random) {
        if (!type.startsWith("application/json")) {
            byte[] bytes = file.clone();
            for (int changes = random.nextInt(4); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
        }
        Schema<?> schema = target.bodies().get(type);
        String json = JsonMapper.shared().writeValueAsString(schema == null ? null : value(target, schema, random, 0));
        return switch (random.nextInt(12)) {
            case 0 -> mutated(json, random).getBytes(StandardCharsets.UTF_8);
            case 1 -> replaced(json, random).getBytes(StandardCharsets.ISO_8859_1);
            case 2 ->
                one(
                                List.of(
                                        "[".repeat(20_000),
                                        "{\"a\":".repeat(5_000),
                                        "[".repeat(900) + "]".repeat(900),
                                        "9".repeat(5_000),
                                        "-" + "9".repeat(1_001),
                                        "[1e999999999]",
                                        "[" + "0.".concat("1".repeat(2_000)) + "]",
                                        "\"" + "a".repeat(100_000) + "\"",
                                        "{\"" + "n".repeat(60_000) + "\": 1}",
                                        "\u00ef\u00bb\u00bf[]",
                                        "[\"\\ud800\"]",
                                        "[\"\\u0000\"]",
                                        "{\"\\u0000\": 1}",
                                        "\0[\0]",
                                        "\u00fe\u00ff\0[",
                                        "\0\0\u00fe\u00ff",
                                        "{\"a\": 1, \"a\": 2}",
                                        "[NaN]",
                                        "/* */ []",
                                        "",
                                        " ",
                                        "null",
                                        "\u00bf\u00ff"),
                                random)
                        .getBytes(StandardCharsets.ISO_8859_1);
            default -> json.getBytes(StandardCharsets.UTF_8);
        };
    }

    /** Replaces one value of the JSON by another, which may be invalid. */
    private static String replaced(String json, Random random) {
        int at = json.indexOf(':', random.nextInt(json.length()));
        String value = one(
                List.of(
                        "9".repeat(1_200),
                        "-1",
                        "1e400",
                        "1.5",
                        "9223372036854775808",
                        "\"\\u0000\"",
                        "\"\\udc00\"",
                        "\"\u0085\"",
                        "\"" + "x".repeat(5_000) + "\"",
                        "[]",
                        "{}",
                        "[null]",
                        "null",
                        "true",
                        "[[[[[]]]]]"),
                random);
        int end = at < 0
                ? -1
                : Stream.of(json.indexOf(',', at), json.indexOf('}', at))
                        .filter(index -> index > 0)
                        .min(Integer::compare)
                        .orElse(-1);
        return end < 0 ? value : json.substring(0, at + 1) + value + json.substring(end);
    }

    /** Returns a value of the schema, and sometimes another. */
    @SuppressWarnings("rawtypes") // as the library declares its lists of schemas
    private @Nullable Object value(FuzzTarget target, Schema<?> given, Random random, int depth) {
        Schema<?> schema = target.resolved(given);
        if (random.nextInt(12) == 0) {
            return one(
                    Arrays.asList(hostile(random), -1, 1.5, true, null, List.of(), Map.of(), Long.MAX_VALUE), random);
        }
        if (schema.getExample() != null && random.nextInt(3) == 0) {
            return JsonMapper.shared()
                    .readTree(String.valueOf(JsonMapper.shared().writeValueAsString(schema.getExample())));
        }
        if (schema.getConst() != null) {
            return schema.getConst();
        }
        if (schema.getEnum() != null && !schema.getEnum().isEmpty()) {
            return String.valueOf(
                    schema.getEnum().get(random.nextInt(schema.getEnum().size())));
        }
        for (List<Schema> choices : Arrays.asList(schema.getOneOf(), schema.getAnyOf())) {
            if (choices != null && !choices.isEmpty()) {
                return value(target, choices.get(random.nextInt(choices.size())), random, depth + 1);
            }
        }
        String type = schema.getType() != null
                ? schema.getType()
                : schema.getTypes() != null ? schema.getTypes().iterator().next() : "object";
        return switch (type) {
            case "string" -> string(schema, random);
            case "integer", "number" -> one(List.<Object>of(0, 1, 4, 8, 12, 64, -1, 1_000_000, Long.MAX_VALUE), random);
            case "boolean" -> random.nextBoolean();
            case "null" -> null;
            case "array" -> array(target, schema, random, depth);
            default -> object(target, schema, random, depth);
        };
    }

    private String string(Schema<?> schema, Random random) {
        if ("date-time".equals(schema.getFormat())) {
            return one(HOSTILE.stream().filter(text -> text.endsWith("Z")).toList(), random);
        }
        String pattern = schema.getPattern();
        if (pattern != null && pattern.contains("a-f")) {
            return one(builds, random);
        }
        return random.nextInt(3) == 0
                ? hostile(random)
                : one(
                        Stream.concat(
                                        builds.stream(),
                                        Stream.of(
                                                "point",
                                                "point.x",
                                                "line",
                                                "line.ends[1].y",
                                                "colour",
                                                "enumerator RED",
                                                "symbol *",
                                                "tls",
                                                "@ruby",
                                                "own",
                                                "seen in gdb",
                                                "int"))
                                .toList(),
                        random);
    }

    private List<@Nullable Object> array(FuzzTarget target, Schema<?> schema, Random random, int depth) {
        List<@Nullable Object> values = new ArrayList<>();
        Schema<?> items = schema.getItems();
        for (int n = depth > 6 || items == null ? 0 : random.nextInt(random.nextInt(20) == 0 ? 60 : 4); n > 0; n--) {
            values.add(value(target, items, random, depth + 1));
        }
        return values;
    }

    private Map<String, @Nullable Object> object(FuzzTarget target, Schema<?> schema, Random random, int depth) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        if (schema.getAllOf() != null) {
            for (Schema<?> part : schema.getAllOf()) {
                members.putAll(object(target, target.resolved(part), random, depth + 1));
            }
        }
        if (schema.getProperties() != null && depth <= 6) {
            schema.getProperties().forEach((name, property) -> {
                if (random.nextInt(6) > 0) {
                    members.put(name, value(target, property, random, depth + 1));
                }
            });
        }
        if (schema.getAdditionalProperties() instanceof Schema<?> more && depth <= 6) {
            members.put(random.nextBoolean() ? "x" : hostile(random), value(target, more, random, depth + 1));
        }
        if (random.nextInt(15) == 0) {
            members.put(hostile(random), hostile(random));
        }
        return members;
    }
}
