package dev.offsetd.server.answers;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.stereotype.Component;

/** Writes bodies that controllers return. The response already has its media type. */
@Component
final class SpooledBodyConverter implements HttpMessageConverter<SpooledBody> {

    @Override
    public boolean canRead(Class<?> type, @Nullable MediaType mediaType) {
        return false;
    }

    @Override
    public boolean canWrite(Class<?> type, @Nullable MediaType mediaType) {
        return type == SpooledBody.class;
    }

    @Override
    public List<MediaType> getSupportedMediaTypes() {
        return List.of(MediaType.ALL);
    }

    @Override
    public List<MediaType> getSupportedMediaTypes(Class<?> type) {
        return type == SpooledBody.class ? getSupportedMediaTypes() : List.of();
    }

    @Override
    public SpooledBody read(Class<? extends SpooledBody> type, HttpInputMessage message) {
        throw new UnsupportedOperationException("requests have no such bodies");
    }

    @Override
    public void write(SpooledBody body, @Nullable MediaType mediaType, HttpOutputMessage message) throws IOException {
        if (mediaType != null) {
            message.getHeaders().setContentType(mediaType);
        }
        message.getHeaders().setContentLength(body.length());
        body.writeTo(message.getBody());
    }
}
