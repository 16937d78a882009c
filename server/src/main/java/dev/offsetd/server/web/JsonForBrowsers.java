package dev.offsetd.server.web;

import java.util.ArrayList;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.ContentNegotiationStrategy;
import org.springframework.web.accept.HeaderContentNegotiationStrategy;
import org.springframework.web.context.request.NativeWebRequest;

/** Reads {@code Accept} as it stands, except that whoever takes HTML takes JSON. */
final class JsonForBrowsers implements ContentNegotiationStrategy {

    private final HeaderContentNegotiationStrategy header = new HeaderContentNegotiationStrategy();

    @Override
    public List<MediaType> resolveMediaTypes(NativeWebRequest request) throws HttpMediaTypeNotAcceptableException {
        List<MediaType> asked = header.resolveMediaTypes(request);
        if (asked.stream().noneMatch(MediaType.TEXT_HTML::equalsTypeAndSubtype)) {
            return asked;
        }
        List<MediaType> types = new ArrayList<>(asked);
        types.add(MediaType.APPLICATION_JSON);
        return types;
    }
}
