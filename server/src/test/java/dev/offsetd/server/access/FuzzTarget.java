package dev.offsetd.server.access;

import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.parameters.RequestBody;
import io.swagger.v3.parser.OpenAPIV3Parser;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * An operation to fuzz.
 *
 * @param path with variables in braces
 * @param query schemas of parameters by name; null if unknown
 * @param bodies schemas by media type
 * @param documented status codes in the contract; empty for a page
 * @param components targets of references in schemas; null for a page
 */
record FuzzTarget(
        String method,
        String path,
        Map<String, @Nullable Schema<?>> query,
        Map<String, @Nullable Schema<?>> headers,
        Map<String, @Nullable Schema<?>> bodies,
        Set<Integer> documented,
        @Nullable Components components) {

    private static final Pattern FIELD = Pattern.compile("<(?:input|select|textarea|button)[^>]*\\sname=\"([^\"]+)\"");

    boolean isPage() {
        return components == null;
    }

    @Override
    public String toString() {
        return method + " " + path;
    }

    /** Returns every operation of the contract. */
    static List<FuzzTarget> ofContract() {
        OpenAPI contract = new OpenAPIV3Parser().read("dev/offsetd/api/openapi.yaml");
        List<FuzzTarget> targets = new ArrayList<>();
        contract.getPaths()
                .forEach((path, item) -> item.readOperationsMap()
                        .forEach((method, operation) ->
                                targets.add(of(contract.getComponents(), path, item, method.name(), operation))));
        return targets;
    }

    private static FuzzTarget of(
            Components components, String path, PathItem item, String method, Operation operation) {
        Map<String, @Nullable Schema<?>> query = new LinkedHashMap<>();
        Map<String, @Nullable Schema<?>> headers = new LinkedHashMap<>();
        Stream.of(item.getParameters(), operation.getParameters())
                .flatMap(parameters -> parameters == null ? Stream.empty() : parameters.stream())
                .map(parameter -> resolved(components, parameter))
                .forEach(parameter -> {
                    switch (parameter.getIn()) {
                        case "query" -> query.put(parameter.getName(), parameter.getSchema());
                        case "header" -> headers.put(parameter.getName(), parameter.getSchema());
                        case "path" -> {
                            // Already in the path.
                        }
                        default -> throw new IllegalStateException(parameter.getIn());
                    }
                });
        Map<String, @Nullable Schema<?>> bodies = new LinkedHashMap<>();
        RequestBody body = operation.getRequestBody();
        if (body != null && body.get$ref() != null) {
            body = components.getRequestBodies().get(lastOf(body.get$ref()));
        }
        if (body != null) {
            body.getContent().forEach((type, content) -> bodies.put(type, content.getSchema()));
        }
        return new FuzzTarget(
                method,
                path,
                query,
                headers,
                bodies,
                operation.getResponses().keySet().stream().map(Integer::valueOf).collect(Collectors.toSet()),
                components);
    }

    private static Parameter resolved(Components components, Parameter parameter) {
        return parameter.get$ref() == null
                ? parameter
                : Objects.requireNonNull(components.getParameters().get(lastOf(parameter.get$ref())));
    }

    /** Returns the schema that this one refers to, or itself. */
    Schema<?> resolved(Schema<?> schema) {
        return schema.get$ref() == null || components == null
                ? schema
                : resolved(Objects.requireNonNull(components.getSchemas().get(lastOf(schema.get$ref()))));
    }

    private static String lastOf(String reference) {
        return reference.substring(reference.lastIndexOf('/') + 1);
    }

    /**
     * Returns every page, with the parameters of its controller and the fields of the forms on all pages.
     *
     * @param get requests a page as an administrator
     * @param id an existing id
     */
    static List<FuzzTarget> ofPages(
            Collection<RequestMappingInfoHandlerMapping> mappings,
            Function<String, HttpResponse<String>> get,
            String id) {
        Set<String> fields = new TreeSet<>();
        for (Route page : Routes.PAGES) {
            if (page.method().name().equals("GET")) {
                String path = page.path()
                        .getPatternString()
                        .replace("**", "mark.svg")
                        .replace("{buildId}", dev.offsetd.server.testkit.SmallBuild.ID.toString())
                        .replace("{name}", "ruby")
                        .replaceAll("\\{[^}]*}", id);
                Matcher field = FIELD.matcher(get.apply(path).body());
                while (field.find()) {
                    fields.add(field.group(1));
                }
            }
        }
        Map<String, Set<String>> declared = new LinkedHashMap<>();
        for (RequestMappingInfoHandlerMapping mapping : mappings) {
            mapping.getHandlerMethods()
                    .forEach((info, handler) -> info.getPatternValues()
                            .forEach(path -> declared.computeIfAbsent(path, _ -> new TreeSet<>())
                                    .addAll(parameters(handler))));
        }
        List<FuzzTarget> targets = new ArrayList<>();
        for (Route page : Routes.PAGES) {
            String path = page.path().getPatternString();
            Map<String, @Nullable Schema<?>> query = new LinkedHashMap<>();
            declared.getOrDefault(path, Set.of()).forEach(name -> query.put(name, null));
            if (page.method().name().equals("POST")) {
                fields.forEach(name -> query.putIfAbsent(name, null));
            }
            targets.add(new FuzzTarget(page.method().name(), path, query, Map.of(), Map.of(), Set.of(), null));
        }
        return targets;
    }

    private static List<String> parameters(HandlerMethod handler) {
        List<String> names = new ArrayList<>();
        for (MethodParameter parameter : handler.getMethodParameters()) {
            RequestParam declared = parameter.getParameterAnnotation(RequestParam.class);
            if (declared != null) {
                parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
                names.add(declared.name().isEmpty() ? String.valueOf(parameter.getParameterName()) : declared.name());
            }
        }
        return names;
    }
}
