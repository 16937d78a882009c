package dev.offsetd.server.webhooks;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.sources.http.AddressRules;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.SetNames;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import okhttp3.HttpUrl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

/** Webhooks over HTTP. */
@RestController
class WebhooksController {

    private static final String PATH = "/v1/webhooks";
    private static final int MAX_BODY_BYTES = 16 * 1024;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,63}");

    private final Webhooks webhooks;
    private final AddressRules addressRules;
    private final SetNames setNames;

    WebhooksController(Webhooks webhooks, WebhookProperties properties, SetNames setNames) {
        this.addressRules = properties.addressRules();
        this.webhooks = webhooks;
        this.setNames = setNames;
    }

    @GetMapping(PATH)
    ResponseEntity<byte[]> list(HttpServletRequest request) {
        return Representation.of(request, Representation.STRUCTURED)
                .response(
                        ResponseEntity.ok(),
                        out -> Representation.write(out, "webhooks", webhooks.all(), WebhooksController::write));
    }

    @PutMapping(path = PATH + "/{name}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Void> put(@PathVariable String name, HttpServletRequest request) throws IOException {
        if (!NAME.matcher(name).matches()) {
            throw ProblemException.badRequest(
                    "bad_webhook_name",
                    "Not a name for a webhook",
                    "name " + HostileText.quote(name)
                            + "; expected a lower-case letter and up to 63 letters, digits, \"-\" and \"_\"");
        }
        WebhookDraft draft = WebhookDraft.of(body(request));
        requirePermitted(draft.url());
        setNames.requireKnown(draft.filter().sets());
        boolean created = webhooks.put(name, draft, Actor.of(request));
        return ResponseEntity.status(created ? HttpStatus.CREATED : HttpStatus.NO_CONTENT)
                .build();
    }

    /** Checks a host that is an address; the addresses of a name are checked when the server connects. */
    private void requirePermitted(HttpUrl url) {
        try {
            addressRules.requireHost(url.host());
        } catch (AddressRules.ForbiddenAddressException e) {
            throw JsonBody.bad(
                    "url", "url " + HostileText.quote(url.redact()) + " " + e.detail() + "; expected one of these");
        }
    }

    @DeleteMapping(PATH + "/{name}")
    ResponseEntity<Void> delete(@PathVariable String name, HttpServletRequest request) {
        if (!NAME.matcher(name).matches() || !webhooks.delete(name, Actor.of(request))) {
            throw ProblemException.notFound(
                    "webhook_not_found",
                    "The webhook does not exist",
                    "no webhook has the name " + HostileText.quote(name));
        }
        return ResponseEntity.noContent().build();
    }

    static JsonNode body(HttpServletRequest request) throws IOException {
        return JsonBody.read(request, MAX_BODY_BYTES, "a JSON object");
    }

    private static void write(JsonGenerator out, Webhook webhook) {
        out.writeStringProperty("name", webhook.name());
        out.writeStringProperty("url", webhook.url());
        Representation.write(out, "kinds", webhook.filter().kinds());
        Representation.write(out, "sets", webhook.filter().sets());
        out.writeStringProperty("createdAt", webhook.createdAt().toString());
        out.writeStringProperty("createdBy", webhook.createdBy());
        out.writeNumberProperty("failures", webhook.failures());
        if (webhook.problem() != null) {
            out.writeStringProperty("problem", webhook.problem());
        }
        if (webhook.deliveredAt() != null) {
            out.writeStringProperty("deliveredAt", webhook.deliveredAt().toString());
        }
        out.writeNumberProperty("undelivered", webhook.undelivered());
    }
}
