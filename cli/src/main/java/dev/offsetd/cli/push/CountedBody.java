package dev.offsetd.cli.push;

import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;
import java.util.function.LongConsumer;

/** Request body that reports the bytes handed to the connection. */
final class CountedBody implements BodyPublisher {

    private final BodyPublisher body;
    private final LongConsumer sent;

    /** @param sent receives the running total, which restarts when the body is sent again */
    CountedBody(BodyPublisher body, LongConsumer sent) {
        this.body = body;
        this.sent = sent;
    }

    @Override
    public long contentLength() {
        return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        body.subscribe(new Flow.Subscriber<>() {

            private long count;

            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(subscription);
            }

            @Override
            public void onNext(ByteBuffer bytes) {
                count += bytes.remaining();
                sent.accept(count);
                subscriber.onNext(bytes);
            }

            @Override
            public void onError(Throwable failure) {
                subscriber.onError(failure);
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
            }
        });
    }
}
