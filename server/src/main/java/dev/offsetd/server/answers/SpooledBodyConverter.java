package dev.offsetd.server.answers;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.stereotype.Component;

/** Writes bodies that controllers return. The response already has its media type. */
@Component
final class SpooledBodyConverter extends AbstractHttpMessageConverter<SpooledBody> {

    SpooledBodyConverter() {
        super(MediaType.ALL);
    }

    @Override
    protected boolean supports(Class<?> type) {
        return type == SpooledBody.class;
    }

    @Override
    protected Long getContentLength(SpooledBody body, @Nullable MediaType mediaType) {
        return body.length();
    }

    @Override
    protected SpooledBody readInternal(Class<? extends SpooledBody> type, HttpInputMessage message) {
        throw new UnsupportedOperationException("requests have no such bodies");
    }

    @Override
    protected void writeInternal(SpooledBody body, HttpOutputMessage message) throws IOException {
        body.writeTo(message.getBody());
    }
}
