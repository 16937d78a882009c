package dev.offsetd.server.storage.objects;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.codec.binary.Base64;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.Abortable;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Requests to one bucket. Each ends within a bounded time, retries included. */
public final class S3Bucket implements AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(2);

    /** Time without data after which a connection counts as dead. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    private static final Duration ATTEMPT = Duration.ofSeconds(8);
    static final Duration REQUEST = Duration.ofSeconds(15);
    private static final int ATTEMPTS = 3;

    /** Slowest transfer of a large object that is waited for. */
    private static final long BYTES_PER_SECOND = 1 << 20;

    private final S3Client client;
    private final String bucket;
    private final String prefix;

    /**
     * Place of a bucket, as configured.
     *
     * @param endpoint base URL of the service; null for Amazon S3 in the region
     * @param prefix start of the name of every object
     * @param pathStyle whether the bucket is the first part of the path rather than of the host name
     * @param accessKey if null with {@code secretKey}, the SDK looks for credentials in its usual places
     */
    public record Location(
            @Nullable URI endpoint,
            @DefaultValue("us-east-1") String region,
            String bucket,
            @DefaultValue("") String prefix,
            @DefaultValue("false") boolean pathStyle,
            @Nullable String accessKey,
            @Nullable String secretKey) {

        private static final Set<String> WEB = Set.of("http", "https");

        public Location {
            if (bucket == null || bucket.isBlank()) {
                throw new IllegalArgumentException("bucket is missing; expected the name of a bucket");
            }
            check("", endpoint, accessKey, secretKey);
        }

        /** @param setting what the names of the settings begin with */
        static void check(
                String setting, @Nullable URI endpoint, @Nullable String accessKey, @Nullable String secretKey) {
            if (endpoint != null
                    && (!WEB.contains(String.valueOf(endpoint.getScheme()))
                            || endpoint.getHost() == null
                            || endpoint.getUserInfo() != null)) {
                throw new IllegalArgumentException(setting + "endpoint is "
                        + (endpoint.getUserInfo() == null
                                ? HostileText.quote(endpoint.toString())
                                : "one with credentials")
                        + "; expected an http or https URL without credentials");
            }
            if ((accessKey == null) != (secretKey == null)) {
                throw new IllegalArgumentException(setting + (accessKey == null ? "access-key" : "secret-key")
                        + " is missing; expected both keys or none");
            }
        }

        /** Returns the host of the service, which may have other buckets too. */
        public String host() {
            return endpoint == null ? "s3." + region + ".amazonaws.com" : endpoint.getHost();
        }

        /** Without the keys, which must not be logged. */
        @Override
        public String toString() {
            return "s3://" + bucket + "/" + prefix;
        }
    }

    /** The service answered with an error. */
    public static final class RefusedException extends IOException {

        private final int status;

        private RefusedException(S3Exception cause) {
            super("HTTP status " + cause.statusCode(), cause);
            this.status = cause.statusCode();
        }

        public int status() {
            return status;
        }
    }

    /**
     * An object that is being read.
     *
     * @param bytes its size
     */
    public record Content(InputStream body, long bytes) implements AutoCloseable {

        /** Ends the transfer, wherever it is. */
        @Override
        public void close() {
            if (body instanceof Abortable transfer) {
                transfer.abort();
            }
        }
    }

    public S3Bucket(Location properties) {
        this.bucket = properties.bucket();
        this.prefix = properties.prefix();
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(properties.region()))
                .credentialsProvider(credentials(properties))
                .forcePathStyle(properties.pathStyle())
                // Services other than Amazon's do not know its newer checksums; every read is verified anyway.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(service -> service.chunkedEncodingEnabled(false))
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT)
                        .socketTimeout(SILENCE))
                .overrideConfiguration(calls -> calls.retryStrategy(StandardRetryStrategy.builder()
                                .maxAttempts(ATTEMPTS)
                                .build())
                        .apiCallAttemptTimeout(ATTEMPT)
                        .apiCallTimeout(REQUEST));
        URI endpoint = properties.endpoint();
        this.client = (endpoint == null ? builder : builder.endpointOverride(endpoint)).build();
    }

    private static AwsCredentialsProvider credentials(Location properties) {
        String accessKey = properties.accessKey();
        String secretKey = properties.secretKey();
        return accessKey == null || secretKey == null
                ? DefaultCredentialsProvider.builder().build()
                : StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey));
    }

    /** Writes an object, also if it exists: what the bucket has under its name may be damaged. */
    void put(String name, byte[] content) {
        Duration more = transfer(content.length);
        client.putObject(
                request -> request.bucket(bucket)
                        .key(prefix + name)
                        .contentMD5(Base64.encodeBase64String(DigestUtils.md5(content)))
                        .overrideConfiguration(call ->
                                call.apiCallAttemptTimeout(ATTEMPT.plus(more)).apiCallTimeout(REQUEST.plus(more))),
                RequestBody.fromBytes(content));
    }

    /**
     * Reads an object.
     *
     * @param bytes its size
     * @return its bytes, or one byte more than its size if the service sends more; empty if the object does not exist
     */
    Optional<byte[]> get(String name, int bytes) {
        Duration more = transfer(bytes);
        try {
            return Optional.of(client.getObject(
                    request -> request.bucket(bucket)
                            .key(prefix + name)
                            .overrideConfiguration(call -> call.apiCallAttemptTimeout(ATTEMPT.plus(more))
                                    .apiCallTimeout(REQUEST.plus(more))),
                    atMost(bytes)));
        } catch (S3Exception e) {
            if (isMissing(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Begins to read a whole object.
     *
     * @return its content, which the caller closes; empty if the object does not exist
     * @throws RefusedException if the service answers with an error
     * @throws IOException if it does not answer
     */
    public Optional<Content> open(String name) throws IOException {
        try {
            ResponseInputStream<GetObjectResponse> body =
                    client.getObject(request -> request.bucket(bucket).key(prefix + name));
            return Optional.of(new Content(body, body.response().contentLength()));
        } catch (S3Exception e) {
            if (isMissing(e)) {
                return Optional.empty();
            }
            throw new RefusedException(e);
        } catch (SdkException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Returns whether an object does not exist. A bucket that does not exist is 404 too, and says nothing about the object. */
    private static boolean isMissing(S3Exception e) {
        AwsErrorDetails details = e.awsErrorDetails();
        return e.statusCode() == 404 && details != null && "NoSuchKey".equals(details.errorCode());
    }

    private static ResponseTransformer<GetObjectResponse, byte[]> atMost(int most) {
        return (response, body) -> {
            try {
                byte[] bytes = body.readNBytes(most + 1);
                if (bytes.length > most) {
                    body.abort();
                }
                return bytes;
            } catch (IOException e) {
                throw RetryableException.create("the answer ends early", e);
            }
        };
    }

    /** Deletes an object. No-op if it does not exist. */
    void delete(String name) {
        client.deleteObject(request -> request.bucket(bucket).key(prefix + name));
    }

    /**
     * Asks for the bucket.
     *
     * @throws SdkException if it cannot be used
     */
    void probe() {
        client.headBucket(request -> request.bucket(bucket));
    }

    /** Returns the time for the bytes of an object, besides that of the request. */
    static Duration transfer(long bytes) {
        return Duration.ofSeconds(bytes / BYTES_PER_SECOND);
    }

    @Override
    public void close() {
        client.close();
    }
}
