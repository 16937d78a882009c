package dev.offsetd.server.storage.objects;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.apache.commons.codec.binary.Base64;
import org.apache.commons.codec.digest.DigestUtils;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Requests to one bucket. Each ends within a bounded time, retries included. */
final class S3Bucket implements AutoCloseable {

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

    S3Bucket(StoreProperties.S3 properties, String bucket) {
        this.bucket = bucket;
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
                .overrideConfiguration(calls -> calls.retryStrategy(
                        StandardRetryStrategy.builder().maxAttempts(ATTEMPTS).build()));
        URI endpoint = properties.endpoint();
        this.client = (endpoint == null ? builder : builder.endpointOverride(endpoint)).build();
    }

    private static AwsCredentialsProvider credentials(StoreProperties.S3 properties) {
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
     * Reads bytes of an object.
     *
     * @param patience time for the request and its retries, besides that of the transfer
     * @return the bytes, or one byte more than wanted if the service sends more; empty if the object does not exist
     */
    Optional<byte[]> get(String name, long from, int count, Duration patience) {
        Duration more = transfer(count);
        try {
            return Optional.of(client.getObject(
                    request -> request.bucket(bucket)
                            .key(prefix + name)
                            .range("bytes=" + from + "-" + (from + count - 1))
                            .overrideConfiguration(call -> call.apiCallAttemptTimeout(ATTEMPT.plus(more))
                                    .apiCallTimeout(patience.plus(more))),
                    atMost(count)));
        } catch (S3Exception e) {
            // A bucket that does not exist is 404 too, and says nothing about the object.
            AwsErrorDetails details = e.awsErrorDetails();
            String code = details == null ? "" : details.errorCode();
            // The object ends before the range.
            if (e.statusCode() == 416) {
                return Optional.of(new byte[0]);
            }
            if (e.statusCode() == 404 && "NoSuchKey".equals(code)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static ResponseTransformer<GetObjectResponse, byte[]> atMost(int count) {
        return (response, body) -> {
            try {
                byte[] bytes = body.readNBytes(count + 1);
                if (bytes.length > count) {
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
        client.deleteObject(request -> request.bucket(bucket)
                .key(prefix + name)
                .overrideConfiguration(
                        call -> call.apiCallAttemptTimeout(ATTEMPT).apiCallTimeout(REQUEST)));
    }

    /**
     * Asks for the bucket.
     *
     * @throws SdkException if it cannot be used
     */
    void probe() {
        client.headBucket(request -> request.bucket(bucket)
                .overrideConfiguration(
                        call -> call.apiCallAttemptTimeout(ATTEMPT).apiCallTimeout(REQUEST)));
    }

    private static Duration transfer(long bytes) {
        return Duration.ofSeconds(bytes / BYTES_PER_SECOND);
    }

    @Override
    public void close() {
        client.close();
    }
}
