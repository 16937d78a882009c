package dev.offsetd.server.web;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.ContentNegotiationStrategy;
import org.springframework.web.context.request.NativeWebRequest;

/**
 * Content negotiation of entities that Spring renders: prefers the representation that {@link Representation#accepted}
 * chooses. Other accepted types follow, for resources with other media types.
 */
final class StructuredFirst implements ContentNegotiationStrategy {

    @Override
    public List<MediaType> resolveMediaTypes(NativeWebRequest request) throws HttpMediaTypeNotAcceptableException {
        String[] values = request.getHeaderValues(HttpHeaders.ACCEPT);
        List<String> accept = values == null ? List.of() : List.of(values);
        List<MediaType> types = new ArrayList<>();
        Representation.accepted(accept, Representation.STRUCTURED)
                .ifPresent(representation -> types.add(MediaType.parseMediaType(representation.contentType())));
        for (MediaType range : Representation.ranges(accept)) {
            // Spring would prefer an equal type with parameters, and send these.
            if (range.getQualityValue() > 0
                    && Representation.STRUCTURED.stream()
                            .noneMatch(representation -> representation.isNamedBy(range))) {
                types.add(range);
            }
        }
        if (types.isEmpty()) {
            throw new HttpMediaTypeNotAcceptableException(Collections.emptyList());
        }
        return types;
    }
}
