package dev.offsetd.server.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ValveBase;
import org.slf4j.MDC;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.http.converter.cbor.JacksonCborHttpMessageConverter;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.accept.ContentNegotiationStrategy;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.servlet.config.annotation.ContentNegotiationConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.dataformat.cbor.CBORMapper;

@Configuration(proxyBeanMethods = false)
class WebConfiguration implements WebMvcConfigurer {

    /** Per connection. */
    private static final int WRITE_BUFFER_BYTES = 16 * 1024;

    @Override
    public void configureContentNegotiation(ContentNegotiationConfigurer negotiation) {
        negotiation.strategies(List.of(new StructuredFirst()));
    }

    /** Omits missing properties, as {@code spring.jackson} configures for JSON. */
    @Override
    public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
        converters.withCborConverter(new JacksonCborHttpMessageConverter(CBORMapper.builder()
                .changeDefaultPropertyInclusion(inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
                .build()));
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsFromTomcat() {
        return tomcat -> {
            tomcat.addEngineValves(new RequestIdValve());
            // Headers and body of most answers fit into one write. A second one costs as much as the cache lookup.
            tomcat.addConnectorCustomizers(
                    connector -> connector.setProperty("socket.appWriteBufSize", Integer.toString(WRITE_BUFFER_BYTES)));
            tomcat.addContextCustomizers(context -> {
                if (context.getParent() instanceof StandardHost host) {
                    host.setErrorReportValveClass(ProblemReportValve.class.getName());
                }
            });
        };
    }

    /**
     * Content negotiation of entities that Spring renders: prefers the representation that {@link Representation#accepted}
     * chooses. Other accepted types follow, for resources with other media types.
     */
    private static final class StructuredFirst implements ContentNegotiationStrategy {

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

    /** Sets the id of the request on the response and in the logging context, for all that handles the request later. */
    private static final class RequestIdValve extends ValveBase {

        RequestIdValve() {
            super(true);
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            String id = RequestIds.of(request);
            response.setHeader(RequestIds.HEADER, id);
            MDC.put(RequestIds.MDC_KEY, id);
            try {
                getNext().invoke(request, response);
            } finally {
                MDC.remove(RequestIds.MDC_KEY);
            }
        }
    }
}
