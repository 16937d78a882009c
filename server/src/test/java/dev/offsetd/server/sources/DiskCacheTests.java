package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.outcome.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskCacheTests {

    private static final BuildId A = BuildId.parse("aaaaaaaaaaaaaaaa");
    private static final BuildId B = BuildId.parse("bbbbbbbbbbbbbbbb");
    private static final BuildId C = BuildId.parse("cccccccccccccccc");
    private static final BuildId D = BuildId.parse("dddddddddddddddd");

    private static final String SOURCE = "https://debuginfod.example/";

    private static final long FILE_BYTES = TestElf.of(A).length;

    @TempDir
    private Path folder;

    @Test
    void leastRecentlyUsedFileIsEvictedFirst() throws Exception {
        try (DiskCache cache = open(3 * FILE_BYTES - 1)) {
            put(cache, A).close();
            put(cache, B).close();
            assertThat(has(cache, A)).isTrue();
            put(cache, C).close();
            assertThat(has(cache, A)).isTrue();
            assertThat(has(cache, B)).isFalse();
            assertThat(has(cache, C)).isTrue();
        }
        assertThat(UpstreamFixture.filesIn(folder)).hasSize(5);
    }

    @Test
    void evictionMakesRoomOnlyForTheNewFile() throws Exception {
        try (DiskCache cache = open(3 * FILE_BYTES)) {
            put(cache, A).close();
            put(cache, B).close();
            put(cache, C).close();
            put(cache, D).close();
            assertThat(has(cache, A)).isFalse();
            assertThat(has(cache, B)).isTrue();
            assertThat(has(cache, C)).isTrue();
            assertThat(has(cache, D)).isTrue();
        }
    }

    @Test
    void evictionGoesDownToNinetyPercentOfTheLimit() throws Exception {
        try (DiskCache cache = open(3 * FILE_BYTES)) {
            put(cache, A).close();
            put(cache, B).close();
            put(cache, C).close();
        }
        try (DiskCache cache = open(FILE_BYTES * 21 / 10)) {
            // Two of the three files fit the limit, but only one fits nine tenths of it.
            assertThat(has(cache, A)).isFalse();
            assertThat(has(cache, B)).isFalse();
            assertThat(has(cache, C)).isTrue();
        }
    }

    @Test
    void pinnedFileIsEvictedOnlyAfterItsLastReader() throws Exception {
        try (DiskCache cache = open(FILE_BYTES)) {
            CachedFile first = put(cache, A);
            CachedFile second = cache.find(A, FileKind.DEBUGINFO).orElseThrow();
            put(cache, B).close();
            assertThat(first.path()).exists();
            first.close();
            first.close();
            put(cache, C).close();
            assertThat(second.path()).exists();
            second.close();
            put(cache, B).close();
            assertThat(second.path()).doesNotExist();
        }
    }

    @Test
    void filesAndTheirOrderSurviveARestart() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            put(cache, A).close();
            put(cache, B).close();
        }
        Files.setLastModifiedTime(BuildIdPath.below(folder, B), FileTime.from(Instant.EPOCH));
        try (DiskCache cache = open(3 * FILE_BYTES - 1)) {
            try (CachedFile file = cache.find(A, FileKind.DEBUGINFO).orElseThrow()) {
                assertThat(file.source()).isEqualTo(SOURCE);
                assertThat(file.origin()).isEqualTo(Origin.S3);
                assertThat(file.sha256()).isEqualTo(DigestUtils.sha256Hex(Files.readAllBytes(file.path())));
                assertThat(file.bytes()).isEqualTo(FILE_BYTES);
            }
            put(cache, C).close();
            assertThat(has(cache, B)).isFalse();
        }
    }

    @Test
    void fileOfAnEarlierServerIsOfADebuginfod() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            put(cache, A).close();
        }
        Path sidecar = Sidecar.pathBeside(BuildIdPath.below(folder, A));
        String json = Files.readString(sidecar).replace("\"origin\":\"s3\",", "");
        Files.delete(sidecar);
        Files.writeString(sidecar, json);
        try (DiskCache cache = open(10 * FILE_BYTES);
                CachedFile file = cache.find(A, FileKind.DEBUGINFO).orElseThrow()) {
            assertThat(json).doesNotContain("origin");
            assertThat(file.origin()).isEqualTo(Origin.DEBUGINFOD);
        }
    }

    @Test
    void orderOfUseSurvivesARestart() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            put(cache, A).close();
            put(cache, B).close();
            Files.setLastModifiedTime(BuildIdPath.below(folder, A), FileTime.from(Instant.EPOCH));
            Files.setLastModifiedTime(BuildIdPath.below(folder, B), FileTime.from(Instant.EPOCH.plusSeconds(1)));
            assertThat(has(cache, A)).isTrue();
        }
        try (DiskCache cache = open(FILE_BYTES * 3 / 2)) {
            assertThat(has(cache, A)).isTrue();
            assertThat(has(cache, B)).isFalse();
        }
    }

    @ChecklistRow(14)
    @Test
    void incompleteFilesOfAKilledProcessAreRemovedAndForeignFilesStay() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            put(cache, A).close();
            put(cache, B).close();
            put(cache, C).close();
        }
        Path shortened = BuildIdPath.below(folder, A);
        Files.delete(shortened);
        Files.write(shortened, Arrays.copyOf(TestElf.of(A), 100));
        Path withoutSidecar = BuildIdPath.below(folder, B);
        Files.delete(Sidecar.pathBeside(withoutSidecar));
        Path strangeSidecar = BuildIdPath.below(folder, C);
        Files.delete(Sidecar.pathBeside(strangeSidecar));
        Files.writeString(Sidecar.pathBeside(strangeSidecar), "{\"source\": \"x\", \"sha256\": \"x\", \"bytes\": 1}");
        Path withoutFile = BuildIdPath.below(folder, D);
        Files.createDirectory(withoutFile.resolveSibling(""));
        Files.writeString(Sidecar.pathBeside(withoutFile), "{}");
        Files.writeString(folder.resolve("tmp/incoming-1.part"), "half a file");
        Path notOurs = Files.writeString(folder.resolve("aa/README"), "not ours");

        try (DiskCache cache = open(10 * FILE_BYTES)) {
            assertThat(UpstreamFixture.filesIn(folder)).containsExactlyInAnyOrder(notOurs, folder.resolve("lock"));
            assertThat(has(cache, A)).isFalse();
            assertThat(has(cache, B)).isFalse();
            assertThat(has(cache, C)).isFalse();
        }
    }

    @Test
    @ChecklistRow(37)
    void linksInTheFolderAreNeitherFollowedNorEmptied() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolveSibling(folder.getFileName() + "-elsewhere"));
        Path others = Files.writeString(elsewhere.resolve("others"), "stays");
        Path target = Files.write(elsewhere.resolve("file.debug"), TestElf.of(A));
        Path file = BuildIdPath.below(folder, A);
        Files.createDirectories(file.resolveSibling(""));
        Files.createSymbolicLink(file, target);
        Files.write(
                Sidecar.pathBeside(file),
                new Sidecar(
                                "source",
                                null,
                                DigestUtils.sha256Hex(Files.readAllBytes(target)),
                                Files.size(target),
                                FileHeaders.NONE)
                        .toJson());
        Files.createSymbolicLink(folder.resolve("tmp"), elsewhere);

        try (DiskCache cache = open(1 << 20)) {
            assertThat(cache.find(A, FileKind.DEBUGINFO)).isEmpty();
        }

        assertThat(others).exists();
        assertThat(target).exists();
    }

    @Test
    void editedFileIsNotServed() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            put(cache, A).close();
            Path file = BuildIdPath.below(folder, A);
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 1;
            Files.delete(file);
            Files.write(file, bytes);
            assertThat(has(cache, A)).isFalse();
            assertThat(file).doesNotExist();
            put(cache, A).close();
            assertThat(has(cache, A)).isTrue();
        }
    }

    @Test
    void fileOfAnotherBuildIsNotServed() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            put(cache, A).close();
            Path file = BuildIdPath.below(folder, A);
            Files.delete(file);
            Files.write(file, TestElf.of(B));
            assertThat(has(cache, A)).isFalse();
        }
    }

    @Test
    void deletedFileIsAMiss() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            put(cache, A).close();
            Files.delete(BuildIdPath.below(folder, A));
            assertThat(has(cache, A)).isFalse();
        }
    }

    @Test
    void unreadableFileStays() throws Exception {
        AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
        try (DiskCache cache = DiskCache.open(folder, 10 * FILE_BYTES, failingWith(failure))) {
            put(cache, A).close();
            failure.set(new IOException("input/output error"));
            assertThatThrownBy(() -> cache.find(A, FileKind.DEBUGINFO))
                    .isInstanceOfSatisfying(
                            DiskException.class, e -> assertThat(e.detail()).contains("input/output error"));
            assertThat(new FetchConfiguration.OfflineCacheSource(cache).fetch(A, FetchProgress.NONE))
                    .isEqualTo(FetchOutcome.diskFailed("java.io.IOException: input/output error"));
            failure.set(null);
            assertThat(has(cache, A)).isTrue();
        }
    }

    @Test
    void interruptedReadKeepsTheFile() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        FileVerification slow = new FileVerification(
                file -> {
                    try {
                        interrupted.await();
                    } catch (InterruptedException stopped) {
                        throw new IOException(stopped);
                    }
                    return UpstreamFixture.facts(file);
                },
                UpstreamFixture.THREADS);
        try (DiskCache cache = DiskCache.open(folder, 10 * FILE_BYTES, slow)) {
            put(cache, A).close();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> cache.find(A, FileKind.DEBUGINFO)).isInstanceOf(InterruptedException.class);
            interrupted.countDown();
            assertThat(has(cache, A)).isTrue();
        }
    }

    /** The hash of gigabytes on a carrier would stop requests. */
    @Test
    @ChecklistRow(36)
    void fileIsReadOnAThreadThatComputes() throws Exception {
        Set<Boolean> virtual = ConcurrentHashMap.newKeySet();
        FileVerification noting = new FileVerification(
                file -> {
                    virtual.add(Thread.currentThread().isVirtual());
                    return UpstreamFixture.facts(file);
                },
                UpstreamFixture.THREADS);
        try (DiskCache cache = DiskCache.open(folder, 10 * FILE_BYTES, noting);
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            put(cache, A).close();
            callers.submit(() -> cache.find(A, FileKind.DEBUGINFO))
                    .get()
                    .orElseThrow()
                    .close();
        }
        assertThat(virtual).containsExactly(false);
    }

    @Test
    void fileIsNotPinnedAfterADefectInItsVerification() throws Exception {
        FileVerification failing = new FileVerification(
                _ -> {
                    throw new IllegalStateException("defect");
                },
                UpstreamFixture.THREADS);
        try (DiskCache cache = DiskCache.open(folder, FILE_BYTES, failing)) {
            put(cache, A).close();
            assertThatThrownBy(() -> cache.find(A, FileKind.DEBUGINFO)).isInstanceOf(IllegalStateException.class);
            put(cache, B).close();
            assertThat(BuildIdPath.below(folder, A)).doesNotExist();
        }
    }

    @Test
    void fileWhoseTimeOfUseIsRecordedIsVerifiedOnce() throws Exception {
        AtomicInteger verified = new AtomicInteger();
        FileVerification counting = new FileVerification(
                file -> {
                    verified.incrementAndGet();
                    return UpstreamFixture.facts(file);
                },
                UpstreamFixture.THREADS);
        try (DiskCache cache = DiskCache.open(folder, 10 * FILE_BYTES, counting)) {
            put(cache, A).close();
            Files.setLastModifiedTime(BuildIdPath.below(folder, A), FileTime.from(Instant.EPOCH));
            for (int i = 0; i < 2; i++) {
                cache.findLatelyVerified(A, FileKind.DEBUGINFO).orElseThrow().close();
            }
            assertThat(verified).hasValue(1);
        }
    }

    private static FileVerification failingWith(AtomicReference<@Nullable IOException> failure) {
        return new FileVerification(
                file -> {
                    IOException now = failure.get();
                    if (now != null) {
                        throw now;
                    }
                    return UpstreamFixture.facts(file);
                },
                UpstreamFixture.THREADS);
    }

    @Test
    void firstOfTwoFilesOfOneBuildStays() throws Exception {
        try (DiskCache cache = open(10 * FILE_BYTES)) {
            CachedFile first = put(cache, A);
            CachedFile second = put(cache, A, TestElf.of(A, 17));
            assertThat(second.sha256()).isEqualTo(first.sha256());
            assertThat(second.path()).hasBinaryContent(TestElf.of(A));
            first.close();
            second.close();
        }
        assertThat(UpstreamFixture.filesIn(folder)).hasSize(3);
    }

    @Test
    void folderServesOneServerAtATime() throws Exception {
        DiskCache cache = open(FILE_BYTES);
        assertThatThrownBy(() -> open(FILE_BYTES))
                .isInstanceOf(IOException.class)
                .hasMessage("cache folder " + folder + " is in use; each server needs a separate data folder");
        cache.close();
        open(FILE_BYTES).close();
    }

    private DiskCache open(long maxBytes) throws IOException {
        return DiskCache.open(folder, maxBytes, UpstreamFixture.VERIFICATION);
    }

    private static boolean has(DiskCache cache, BuildId id) throws Exception {
        Optional<CachedFile> file = cache.find(id, FileKind.DEBUGINFO);
        file.ifPresent(CachedFile::close);
        return file.isPresent();
    }

    private static CachedFile put(DiskCache cache, BuildId id) throws Exception {
        return put(cache, id, TestElf.of(id));
    }

    private static CachedFile put(DiskCache cache, BuildId id, byte[] bytes) throws Exception {
        try (IncomingFile incoming = cache.newFile()) {
            incoming.write(bytes, bytes.length);
            String sha256 = incoming.finish();
            return cache.publish(
                    incoming,
                    new DiskCache.Key(id, FileKind.DEBUGINFO),
                    new Sidecar(SOURCE, Origin.S3.word(), sha256, bytes.length, FileHeaders.NONE),
                    bytes.length,
                    UpstreamFixture.VERIFICATION.verify(incoming.path(), id));
        }
    }
}
