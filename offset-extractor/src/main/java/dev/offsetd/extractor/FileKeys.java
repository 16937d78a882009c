package dev.offsetd.extractor;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.Sha256;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keys that identify the build of a file: its GNU build-id, Go build-id, htlhash and SHA-256, as far as the file has them
 * or they can be computed from it, in this order. The htlhash is that of an executable; a debug file, or a copy without code,
 * does not have it.
 */
public record FileKeys(List<BuildId> all) {

    /** Name and type of the note with the Go build-id. */
    private static final String GO_OWNER = "Go\0";

    private static final int NT_GO_BUILD_ID = 4;

    /** Bytes at each end of a file that its htlhash covers. */
    private static final int HTLHASH_BYTES = 4096;

    /** Longest note that is read as a Go build-id. */
    private static final int MAX_GO_BYTES = 1 << 10;

    public FileKeys {
        all = List.copyOf(all);
    }

    /** @param sha256 of the file in hex; null to compute it */
    static FileKeys of(ElfFile elf, @Nullable String sha256) throws MalformedInputException {
        List<BuildId> keys = new ArrayList<>(elf.buildId().stream().toList());
        goBuildId(elf).ifPresent(keys::add);
        MemorySegment bytes = elf.file().bytes();
        if (elf.isWhole()) {
            keys.add(htlhash(bytes));
        }
        keys.add(BuildId.alias(BuildId.Alias.SHA256, sha256 == null ? hex(digest(bytes)) : sha256));
        return new FileKeys(keys);
    }

    static Optional<BuildId> goBuildId(ElfFile elf) throws MalformedInputException {
        Section go = elf.note(GO_OWNER, NT_GO_BUILD_ID);
        return go.size() <= MAX_GO_BYTES
                ? BuildId.ofGo(new String(go.bytes().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1))
                : Optional.empty();
    }

    /** Returns {@link #primary(Predicate)} for the keys that programs are always known to share. */
    public BuildId primary() {
        return primary(BuildId::isShared);
    }

    /**
     * Returns the key under which the build of the file is stored. An htlhash is never it, because it covers only the ends of
     * a file, and neither is a key that different programs share.
     *
     * @param shared returns whether they share it
     */
    public BuildId primary(Predicate<BuildId> shared) {
        return all.stream()
                .filter(key -> !shared.test(key) && !key.isA(BuildId.Alias.HTLHASH))
                .findFirst()
                .orElseThrow();
    }

    static BuildId htlhash(MemorySegment file) {
        long size = file.byteSize();
        long end = Math.min(size, HTLHASH_BYTES);
        MessageDigest digest = Sha256.digest();
        digest.update(file.asSlice(0, end).asByteBuffer());
        digest.update(file.asSlice(size - end, end).asByteBuffer());
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, size));
        return BuildId.alias(BuildId.Alias.HTLHASH, hex(digest).substring(0, 32));
    }

    private static MessageDigest digest(MemorySegment file) {
        MessageDigest digest = Sha256.digest();
        int step = 1 << 20;
        for (long at = 0; at < file.byteSize(); at += step) {
            digest.update(file.asSlice(at, Math.min(step, file.byteSize() - at)).asByteBuffer());
        }
        return digest;
    }

    private static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
