package dev.offsetd.server.storage.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.testkit.S3Service;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.unit.DataSize;
import software.amazon.awssdk.core.exception.SdkException;

/** Objects in a real S3Proxy are fetched whole and verified; a store that fails is a separate exception. */
@Timeout(120)
@ChecklistRow(41)
class ObjectStoreIntegrationTests {

    private static final byte[] CONTENT = new byte[700_000];

    static {
        new Random(1).nextBytes(CONTENT);
    }

    private static final StoredObject OBJECT = StoredObject.of(CONTENT);

    @TempDir
    private Path folder;

    private final PeriodicTasks tasks = new PeriodicTasks();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ComputePool threads = new ComputePool("sources", 1, tasks, meters);

    private S3Service service;
    private ObjectStore store;

    @BeforeEach
    void start() throws IOException {
        service = S3Service.create();
        store = open();
        store.belongsTo("test", true);
    }

    @AfterEach
    void stop() {
        tasks.stop();
        store.destroy();
        service.close();
    }

    private ObjectStore open() throws IOException {
        String[] settings = service.properties();
        StoreProperties.S3 s3 = new StoreProperties.S3(
                URI.create(settings[0].split("=", 2)[1]),
                settings[1].split("=", 2)[1],
                "us-east-1",
                "",
                true,
                settings[3].split("=", 2)[1],
                settings[4].split("=", 2)[1]);
        return new ObjectStore(
                new StoreProperties.Store(s3, null, DataSize.ofMegabytes(4)),
                ObjectFolder.open(folder.resolve("objects"), 4 << 20),
                threads,
                new SimpleMeterRegistry());
    }

    /** The credentials of the store and the server's network are for the configured endpoint only. */
    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    @ChecklistRow(4)
    void redirectsOfTheStoreAreNotFollowed(int status) throws IOException {
        AtomicInteger reached = new AtomicInteger();
        HttpServer internal = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        internal.createContext("/", exchange -> {
            reached.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        HttpServer hostile = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hostile.createContext("/", exchange -> {
            exchange.getResponseHeaders()
                    .add("Location", "http://127.0.0.1:" + internal.getAddress().getPort() + "/latest/meta-data/");
            exchange.getResponseHeaders().add("x-amz-bucket-region", "eu-central-1");
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        internal.start();
        hostile.start();
        try (S3Bucket bucket = new S3Bucket(new S3Bucket.Location(
                URI.create("http://127.0.0.1:" + hostile.getAddress().getPort()),
                "us-east-1",
                "bucket",
                "",
                true,
                "key",
                "secret"))) {
            assertThatThrownBy(bucket::probe).isInstanceOf(SdkException.class);
            assertThatThrownBy(() -> bucket.get("name", 10)).isInstanceOf(SdkException.class);
            assertThatThrownBy(() -> bucket.put("name", new byte[10])).isInstanceOf(SdkException.class);
            assertThatThrownBy(() -> bucket.open("name")).isInstanceOf(S3Bucket.RefusedException.class);
            assertThat(reached).hasValue(0);
        } finally {
            internal.stop(0);
            hostile.stop(0);
        }
    }

    @Test
    @ChecklistRow(16)
    void objectForWhichTheDiskHasNoRoomIsFetchedAgain() throws IOException {
        Path objects = folder.resolve("objects");
        try (SmallDisk _ = SmallDisk.over(objects, "size=1m,mode=0700")) {
            store.put(OBJECT, CONTENT);
            Path ballast = objects.resolve("ballast");
            assertThatThrownBy(() -> Files.write(ballast, new byte[2 << 20])).hasMessageContaining("No space left");
            for (int time = 0; time < 3; time++) {
                assertThat(store.read(OBJECT, 0, CONTENT.length)).isEqualTo(CONTENT);
            }
            assertThat(objects.toFile().list()).containsExactly("ballast");

            Files.delete(ballast);
            assertThat(store.read(OBJECT, 0, CONTENT.length)).isEqualTo(CONTENT);
            assertThat(objects.toFile().list()).containsExactly(OBJECT.sha256());
        }
    }

    @Test
    void anyRangeHasTheBytesOfTheObject() {
        store.put(OBJECT, CONTENT);
        Random random = new Random(2);
        for (int i = 0; i < 50; i++) {
            int from = random.nextInt(CONTENT.length);
            int length = random.nextInt(400_000);
            assertThat(store.read(OBJECT, from, length))
                    .isEqualTo(Arrays.copyOfRange(CONTENT, from, Math.min(CONTENT.length, from + length)));
        }
        assertThat(store.read(OBJECT, CONTENT.length, 10)).isEmpty();
        assertThat(store.whole(OBJECT)).isEqualTo(CONTENT);
    }

    @Test
    void objectOnTheDiskAnswersWithoutTheStoreAlsoAfterARestart() throws IOException {
        store.put(OBJECT, CONTENT);
        store.read(OBJECT, 0, CONTENT.length);
        store.destroy();
        store = open();
        service.set(S3Service.Mode.DOWN);
        assertThat(store.read(OBJECT, 0, CONTENT.length)).isEqualTo(CONTENT);
    }

    @Test
    void objectIsHashedOnAThreadThatComputes() throws Exception {
        store.put(OBJECT, CONTENT);
        store.read(OBJECT, 0, CONTENT.length);
        store.destroy();
        store = open();
        CountDownLatch busy = new CountDownLatch(1);
        Future<Boolean> other = threads.submit(() -> busy.await(1, TimeUnit.MINUTES), Duration.ofMinutes(1));
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<byte[]> read = callers.submit(() -> store.read(OBJECT, 0, 10));
            while (meters.get("offsetd.compute.waiting").gauge().value() == 0) {
                assertThat(read.isDone()).isFalse();
                Thread.sleep(10);
            }
            busy.countDown();
            assertThat(read.get()).isEqualTo(Arrays.copyOf(CONTENT, 10));
        }
        assertThat(other.get()).isTrue();
    }

    @Test
    void damagedObjectOnTheDiskIsFetchedAgainAfterARestart() throws IOException {
        store.put(OBJECT, CONTENT);
        store.read(OBJECT, 0, CONTENT.length);
        store.destroy();
        damage(folder.resolve("objects").resolve(OBJECT.sha256()));
        store = open();
        assertThat(store.read(OBJECT, 0, CONTENT.length)).isEqualTo(CONTENT);
    }

    /** The reader of the blocks has noticed the damage, so the build was extracted again. */
    @Test
    void objectThatIsWrittenAgainIsFetchedAgain() throws IOException {
        store.put(OBJECT, CONTENT);
        store.read(OBJECT, 0, CONTENT.length);
        damage(folder.resolve("objects").resolve(OBJECT.sha256()));
        store.put(OBJECT, CONTENT);
        assertThat(store.read(OBJECT, 0, CONTENT.length)).isEqualTo(CONTENT);
    }

    @Test
    void leftOversOfEarlierProcessesAreRemoved() throws IOException {
        store.destroy();
        Path objects = folder.resolve("objects");
        Files.writeString(objects.resolve("tmp-1"), "unfinished");
        Files.writeString(objects.resolve(OBJECT.sha256() + "-12"), "a part, as earlier versions kept them");
        Files.writeString(objects.resolve("note"), "of an administrator");
        store = open();
        assertThat(objects.toFile().list()).containsExactly("note");
    }

    private static void damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[100] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void otherBytesUnderTheNameAreDamage() throws IOException {
        store.put(OBJECT, CONTENT);
        byte[] other = CONTENT.clone();
        other[300_000] ^= 1;
        Files.write(service.file(OBJECT.sha256()), other);
        assertThatThrownBy(() -> store.read(OBJECT, 0, 1000)).isInstanceOf(CorruptBlobException.class);
        assertThatThrownBy(() -> store.whole(OBJECT)).isInstanceOf(CorruptBlobException.class);
    }

    @Test
    void shortAndMissingObjectsAreDamage() throws IOException {
        store.put(OBJECT, CONTENT);
        Files.write(service.file(OBJECT.sha256()), Arrays.copyOf(CONTENT, 100_000));
        assertThatThrownBy(() -> store.read(OBJECT, 0, 1000)).isInstanceOf(CorruptBlobException.class);
        Files.delete(service.file(OBJECT.sha256()));
        assertThatThrownBy(() -> store.read(OBJECT, 0, 1000))
                .isInstanceOf(CorruptBlobException.class)
                .hasMessageContaining("no such object");
    }

    @Test
    void bucketWithoutTheNameOfTheDatabaseIsNoProofThatAnObjectIsMissing() throws IOException {
        Files.delete(service.file("database-test"));
        assertThatThrownBy(() -> store.read(OBJECT, 0, 1000))
                .isInstanceOf(StoreUnreachableException.class)
                .hasMessageContaining("offsetd.store.s3.bucket");
    }

    @Test
    void overloadThatPassesIsNotNoticed() {
        store.put(OBJECT, CONTENT);
        service.set(S3Service.Mode.BUSY_ONCE);
        assertThat(store.whole(OBJECT)).isEqualTo(CONTENT);
    }

    @ParameterizedTest
    @EnumSource(names = {"DOWN", "BUSY", "HALF", "SLOW"})
    void storeThatFailsIsUnreachableAndNotDamaged(S3Service.Mode fault) {
        store.put(OBJECT, CONTENT);
        service.set(fault);
        assertThatThrownBy(() -> store.read(OBJECT, 0, 1000)).isInstanceOf(StoreUnreachableException.class);
        service.set(S3Service.Mode.WORKS);
        assertThat(store.read(OBJECT, 0, 1000)).isEqualTo(Arrays.copyOf(CONTENT, 1000));
    }

    @Test
    void requestThatHasWaitedForManyObjectsWaitsForNoMore() throws Exception {
        List<StoredObject> objects = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            byte[] content = {(byte) i};
            objects.add(StoredObject.of(content));
            store.put(objects.getLast(), content);
        }
        service.set(S3Service.Mode.LATE);
        new ObjectReadBudget()
                .doFilter(new MockHttpServletRequest(), new MockHttpServletResponse(), (request, response) -> {
                    assertThatThrownBy(() -> objects.forEach(object -> store.read(object, 0, 1)))
                            .isInstanceOf(StoreUnreachableException.class);
                    // The last read goes on without the request.
                    while (store.readsInProgress() > 0) {
                        Thread.onSpinWait();
                    }
                    int before = service.connections();
                    assertThatThrownBy(() -> store.read(objects.getLast(), 0, 1))
                            .isInstanceOf(StoreUnreachableException.class)
                            .hasMessageContaining("objects of the answer took 15 s");
                    assertThat(service.connections()).isEqualTo(before);
                });
        // The next request has its own time, and the store does not count as failing.
        assertThat(store.isFailing()).isFalse();
        assertThat(store.read(objects.getLast(), 0, 1)).containsExactly(59);
    }

    @Test
    void requestWithLittleTimeLeftDoesNotEndTheReadOfOthers() throws Exception {
        store.put(OBJECT, CONTENT);
        service.set(S3Service.Mode.SLOW);
        int before = service.connections();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<byte[]> first = callers.submit(() -> {
                new ObjectReadBudget.Accessor()
                        .setValue(new AtomicLong(Duration.ofSeconds(2).toNanos()));
                return store.read(OBJECT, 0, 1000);
            });
            while (service.connections() == before) {
                Thread.sleep(10);
            }
            Future<byte[]> other = callers.submit(() -> store.read(OBJECT, 0, 1000));
            assertThatThrownBy(first::get)
                    .cause()
                    .isInstanceOf(StoreUnreachableException.class)
                    .hasMessageContaining("objects of the answer took");
            service.endSlowness();
            assertThat(other.get()).isEqualTo(Arrays.copyOf(CONTENT, 1000));
        }
        assertThat(store.isFailing()).isFalse();
    }

    @Test
    void failingStoreIsNotAskedForAWhile() throws InterruptedException {
        store.put(OBJECT, CONTENT);
        service.set(S3Service.Mode.DOWN);
        while (!store.isFailing()) {
            assertThatThrownBy(() -> store.whole(OBJECT)).isInstanceOf(StoreUnreachableException.class);
        }
        int before = service.connections();
        assertThatThrownBy(() -> store.whole(OBJECT)).hasMessageContaining("not asked");
        assertThatThrownBy(store::checkWritable).isInstanceOf(StoreUnreachableException.class);
        assertThat(service.connections()).isEqualTo(before);
        service.set(S3Service.Mode.WORKS);
        while (store.isFailing()) {
            Thread.sleep(Duration.ofMillis(100));
            try {
                store.probe();
            } catch (StoreUnreachableException e) {
                assertThat(e).hasMessageContaining("not asked");
            }
        }
        assertThat(store.whole(OBJECT)).isEqualTo(CONTENT);
    }
}
