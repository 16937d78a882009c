package dev.offsetd.server.testkit;

import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Reads answers in CBOR. */
public final class Cbor {

    private static final CBORMapper MAPPER = CBORMapper.builder().build();

    private Cbor() {}

    /** The body of a response. */
    public static JsonNode of(HttpResponse<byte[]> response) {
        return MAPPER.readTree(response.body());
    }
}
