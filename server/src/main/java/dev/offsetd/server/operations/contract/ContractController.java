package dev.offsetd.server.operations.contract;

import dev.offsetd.server.web.ETag;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.springframework.boot.info.BuildProperties;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** The contract, its JSON and reference page that the build makes from it, and the start page. */
@RestController
class ContractController {

    private static final String FOLDER = "dev/offsetd/api/";
    private static final Duration MAX_AGE = Duration.ofMinutes(5);

    /** The page has no scripts. */
    private static final String PAGE_POLICY =
            "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Document yaml;
    private final Document json;
    private final Document page;
    private final Document style;
    private final Document icon;
    private final Index index;

    ContractController(BuildProperties build) throws IOException {
        this.yaml = new Document("application/yaml", FOLDER + "openapi.yaml");
        this.json = new Document("application/json", FOLDER + "openapi.json");
        this.page = new Document("text/html;charset=UTF-8", FOLDER + "index.html");
        this.style = new Document("text/css;charset=UTF-8", FOLDER + "reference.css");
        this.icon = new Document("image/svg+xml", "static/admin/mark.svg");
        this.index = new Index(
                "offsetd", String.valueOf(build.getVersion()), "/openapi.yaml", "/openapi.json", "/docs", "/admin");
    }

    /** A resource of the server, with a validator. */
    private static final class Document {

        private final MediaType type;
        private final byte[] body;
        private final String etag;

        Document(String type, String resource) throws IOException {
            this.type = MediaType.parseMediaType(type);
            this.body = new ClassPathResource(resource).getContentAsByteArray();
            this.etag = ETag.of(body);
        }

        ResponseEntity<byte[]> answer() {
            return ResponseEntity.ok()
                    .contentType(type)
                    .eTag(etag)
                    .cacheControl(CacheControl.maxAge(MAX_AGE).cachePublic())
                    .body(body);
        }
    }

    private record Index(
            String name, String version, String contract, String contractJson, String docs, String pages) {}

    /** Sends browsers to the admin pages; they name {@code text/html}, other clients do not. */
    @GetMapping("/")
    ResponseEntity<?> root(@RequestHeader(name = HttpHeaders.ACCEPT, defaultValue = "") String accept) {
        if (accept.contains(MediaType.TEXT_HTML_VALUE)) {
            return ResponseEntity.status(HttpStatus.FOUND)
                    .location(URI.create(index.pages()))
                    .varyBy(HttpHeaders.ACCEPT)
                    .build();
        }
        return ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_JSON)
                .varyBy(HttpHeaders.ACCEPT)
                .body(index);
    }

    @GetMapping("/openapi.yaml")
    ResponseEntity<byte[]> yaml() {
        return yaml.answer();
    }

    @GetMapping("/openapi.json")
    ResponseEntity<byte[]> json() {
        return json.answer();
    }

    @GetMapping("/docs")
    ResponseEntity<byte[]> page(HttpServletResponse response) {
        // The headers of an entity would be added to those that the response has.
        response.setHeader("Content-Security-Policy", PAGE_POLICY);
        return page.answer();
    }

    @GetMapping("/docs/reference.css")
    ResponseEntity<byte[]> style() {
        return style.answer();
    }

    @GetMapping({"/favicon.ico", "/favicon.svg"})
    ResponseEntity<byte[]> icon() {
        return icon.answer();
    }
}
