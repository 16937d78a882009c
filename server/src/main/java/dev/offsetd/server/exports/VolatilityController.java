package dev.offsetd.server.exports;

import dev.offsetd.query.export.KernelBanner;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.PathToken;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.RenderedTables;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;
import tools.jackson.core.JsonGenerator;

/** The list of kernels for volatility3's {@code --remote-isf-url}. */
@RestController
class VolatilityController {

    private static final int VERSION = 1;

    /** About 50 MB of list. */
    private static final int MAX_KERNELS = 100_000;

    private final Identities identities;
    private final ExportProperties properties;
    private final ComputePool threads;

    /** By base URL. */
    private final RenderedTables<String, SpooledBody> lists = RenderedTables.shortLived();

    VolatilityController(
            Identities identities, ExportProperties properties, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.identities = identities;
        this.properties = properties;
        this.threads = threads;
    }

    @GetMapping("/volatility/banners.json")
    ResponseEntity<SpooledBody> banners(HttpServletRequest request) {
        String base = base(request);
        SpooledBody body = lists.get(base, Caller.of(request), () -> {
            List<Identities.Kernel> kernels = identities.kernels(MAX_KERNELS);
            return threads.answer(() -> list(kernels, base));
        });
        return ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_JSON)
                .eTag(body.etag())
                .header(HttpHeaders.CACHE_CONTROL, Answer.SHORT_LIVED)
                // Without a public URL, the list depends on it.
                .header(HttpHeaders.VARY, HttpHeaders.HOST)
                .body(body);
    }

    private SpooledBody list(List<Identities.Kernel> kernels, String base) {
        // Rebuilt kernels can have the same banner.
        Map<String, List<String>> urls = new TreeMap<>();
        for (Identities.Kernel kernel : kernels) {
            Export export = new Export(
                    kernel.id(),
                    kernel.generation(),
                    kernel.extractorVersion(),
                    kernel.sha256(),
                    ServedFormat.ISF,
                    List.of(kernel.banner()));
            urls.computeIfAbsent(
                            Base64.getEncoder().encodeToString(KernelBanner.bytes(kernel.banner())),
                            _ -> new ArrayList<>(1))
                    .add(base + export.path());
        }
        return SpooledBody.of(Representation.JSON, out -> write(out, urls));
    }

    private void write(JsonGenerator out, Map<String, List<String>> urls) {
        out.writeNumberProperty("version", VERSION);
        out.writeObjectPropertyStart("linux");
        urls.forEach((banner, files) -> Representation.write(out, banner, files));
        out.writeEndObject();
        out.writeObjectPropertyStart("mac");
        out.writeEndObject();
        out.writeObjectPropertyStart("windows");
        out.writeEndObject();
        Representation.write(
                out,
                "additional",
                properties.volatility().additional().stream().map(URI::toString).toList());
    }

    /** Returns the base URL of this server for this client, with a slash at its end. */
    private String base(HttpServletRequest request) {
        String url = properties.publicUrl() != null
                ? properties.publicUrl().toString()
                : ServletUriComponentsBuilder.fromContextPath(request).build().toUriString();
        return (url.endsWith("/") ? url.substring(0, url.length() - 1) : url) + PathToken.before(request) + "/";
    }
}
