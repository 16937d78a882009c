package dev.offsetd.server.storage.objects;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the object store.
 *
 * @param dataDir folder for all files of the server
 */
@ConfigurationProperties("offsetd")
record StoreProperties(Path dataDir, @DefaultValue Store store) {

    Path folder() {
        return dataDir.resolve("objects");
    }

    /**
     * Where large bytes are stored.
     *
     * @param writeTo where new bytes go: {@code s3} or {@code database}; if absent, to the object store if one is configured
     * @param cache size of the objects that this server keeps on its disk
     */
    record Store(
            @DefaultValue S3 s3,
            @Nullable Place writeTo,
            @DefaultValue("1GB") DataSize cache) {

        Store {
            if (writeTo == Place.S3 && s3.bucket() == null) {
                throw new IllegalArgumentException(
                        "offsetd.store.write-to is s3, but offsetd.store.s3.bucket is missing");
            }
            if (cache.toBytes() <= 0) {
                throw new IllegalArgumentException("offsetd.store.cache is " + cache + "; expected more than 0");
            }
        }

        boolean writesObjects() {
            return s3.bucket() != null && writeTo != Place.DATABASE;
        }
    }

    /** Place for new bytes. */
    enum Place {
        S3,
        DATABASE
    }

    /**
     * A bucket.
     *
     * @param endpoint base URL of the service; if absent, that of Amazon S3 in the region
     * @param bucket absent to keep everything in the database
     * @param prefix start of the name of every object
     * @param pathStyle whether the bucket is the first part of the path rather than of the host name
     * @param accessKey if absent with {@code secretKey}, the SDK looks for credentials in its usual places
     */
    record S3(
            @Nullable URI endpoint,
            @Nullable String bucket,
            @DefaultValue("us-east-1") String region,
            @DefaultValue("") String prefix,
            @DefaultValue("false") boolean pathStyle,
            @Nullable String accessKey,
            @Nullable String secretKey) {

        S3 {
            if (bucket != null && bucket.isBlank()) {
                bucket = null;
            }
            S3Bucket.Location.check("offsetd.store.s3.", endpoint, accessKey, secretKey);
        }

        S3Bucket.Location location(String name) {
            return new S3Bucket.Location(endpoint, region, name, prefix, pathStyle, accessKey, secretKey);
        }

        /** Without the keys, which must not be logged. */
        @Override
        public String toString() {
            return "bucket " + bucket + (endpoint == null ? " in " + region : " at " + endpoint);
        }
    }
}
