package dev.offsetd.server.operations.telemetry;

import dev.offsetd.server.web.TokenShape;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.AttributeType;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.DelegatingSpanData;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;

/** Exports spans without tokens: paths of requests and messages of exceptions may have them. */
final class RedactedSpans implements SpanExporter {

    private final SpanExporter exporter;

    RedactedSpans(SpanExporter exporter) {
        this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        return exporter.export(spans.stream().<SpanData>map(RedactedSpan::new).toList());
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }

    private static final class RedactedSpan extends DelegatingSpanData {

        RedactedSpan(SpanData span) {
            super(span);
        }

        @Override
        public String getName() {
            return TokenShape.redact(super.getName());
        }

        @Override
        public StatusData getStatus() {
            StatusData status = super.getStatus();
            return StatusData.create(status.getStatusCode(), TokenShape.redact(status.getDescription()));
        }

        @Override
        public Attributes getAttributes() {
            return redacted(super.getAttributes());
        }

        @Override
        public List<EventData> getEvents() {
            return super.getEvents().stream()
                    .map(event -> EventData.create(
                            event.getEpochNanos(),
                            TokenShape.redact(event.getName()),
                            redacted(event.getAttributes()),
                            event.getTotalAttributeCount()))
                    .toList();
        }

        private static Attributes redacted(Attributes attributes) {
            AttributesBuilder redacted = attributes.toBuilder();
            attributes.forEach((key, value) -> {
                if (key.getType() == AttributeType.STRING) {
                    redacted.put(AttributeKey.stringKey(key.getKey()), TokenShape.redact(value.toString()));
                }
            });
            return redacted.build();
        }
    }
}
