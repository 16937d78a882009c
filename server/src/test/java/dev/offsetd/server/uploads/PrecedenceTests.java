package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.uploads.Precedence.Refusal;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sources outrank uploads. An upload is replaced only by the same token with more debug information. */
@ChecklistRow({21, 28})
class PrecedenceTests {

    private static final UUID TOKEN = UUID.fromString("5b0c2c26-7f2e-4a55-8d0c-3f2f5f0f9f11");
    private static final UUID OTHER = UUID.fromString("6b0c2c26-7f2e-4a55-8d0c-3f2f5f0f9f11");
    private static final Architecture X86 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);
    private static final Architecture ARM = new Architecture("aarch64", 64, ByteOrder.LITTLE_ENDIAN);
    private static final Architecture UNKNOWN = new Architecture("unknown", 64, ByteOrder.LITTLE_ENDIAN);
    private static final Upload RICH = new Upload(TOKEN, "ci", true, 1_000);

    @Test
    void fileOfASourceStays() {
        assertThat(Precedence.refusal(stored(Origin.DEBUGINFOD, null), upload(X86, RICH)))
                .hasValue(Refusal.UPSTREAM_HAS_IT);
        assertThat(Precedence.refusal(stored(Origin.LOCAL, null), upload(X86, RICH)))
                .hasValue(Refusal.LOCAL_FOLDER_HAS_IT);
        assertThat(Precedence.refusal(stored(Origin.DEBUGINFOD, null), upload(ARM, RICH)))
                .isPresent();
    }

    @Test
    void fileOfAnUnknownOriginIsReplaced() {
        assertThat(Precedence.refusal(stored(Origin.ofWord("later"), null), upload(X86, RICH)))
                .isEmpty();
    }

    @Test
    void uploadOfAnotherTokenIsNotReplaced() {
        assertThat(refusal(new Upload(OTHER, "ci", true, 1))).isEqualTo(Refusal.OTHER_TOKEN);
        assertThat(refusal(new Upload(null, "ci", true, 1))).isEqualTo(Refusal.OTHER_TOKEN);
    }

    @Test
    void labelDoesNotIdentifyTheUploader() {
        assertThat(refusal(new Upload(TOKEN, "old label", true, 1))).isNull();
    }

    @Test
    void nameIdentifiesAnUploaderWithoutToken() {
        StoredFile stored = stored(Origin.UPLOAD, new Upload(null, "operator", true, 1));
        assertThat(Precedence.refusal(stored, upload(X86, new Upload(null, "operator", true, 2))))
                .isEmpty();
        assertThat(Precedence.refusal(stored, upload(X86, new Upload(null, "anonymous", true, 2))))
                .hasValue(Refusal.OTHER_TOKEN);
    }

    @Test
    void onlyMoreDebugInformationReplacesLess() {
        assertThat(refusal(new Upload(TOKEN, "ci", true, 1_000))).isEqualTo(Refusal.NOT_RICHER);
        assertThat(refusal(new Upload(TOKEN, "ci", true, 1_001))).isEqualTo(Refusal.NOT_RICHER);
        assertThat(refusal(new Upload(TOKEN, "ci", true, 999))).isNull();
        assertThat(refusal(new Upload(TOKEN, "ci", false, 1_000_000)))
                .as("DWARF says more than BTF, whatever their sizes")
                .isNull();
        assertThat(Precedence.refusal(
                        stored(Origin.UPLOAD, RICH), upload(X86, new Upload(TOKEN, "ci", false, 1_000_000))))
                .hasValue(Refusal.NOT_RICHER);
    }

    @Test
    void fileWithoutLinesNeverReplacesOneWithLines() {
        StoredFile whole = sized(1, new Upload(TOKEN, "ci", true, 1_000, true));
        StoredFile slim = sized(2, new Upload(TOKEN, "ci", true, 1_000, false));
        StoredFile richerSlim = sized(2, new Upload(TOKEN, "ci", true, 1_001, false));
        StoredFile unknown = sized(3, RICH);
        assertThat(Precedence.refusal(whole, slim)).hasValue(Refusal.NOT_RICHER);
        assertThat(Precedence.refusal(whole, richerSlim)).hasValue(Refusal.NOT_RICHER);
        assertThat(Precedence.refusal(unknown, slim)).hasValue(Refusal.NOT_RICHER);
        assertThat(Precedence.refusal(slim, whole)).isEmpty();
        assertThat(Precedence.refusal(unknown, whole)).isEmpty();
        assertThat(Precedence.refusal(richerSlim, whole)).hasValue(Refusal.NOT_RICHER);
        assertThat(Precedence.refusal(slim, unknown)).isEmpty();
    }

    @Test
    void fileForAnotherProcessorIsRefused() {
        assertThat(Precedence.refusal(stored(Origin.UPLOAD, new Upload(TOKEN, "ci", true, 1)), upload(ARM, RICH)))
                .hasValue(Refusal.OTHER_ARCHITECTURE);
    }

    /** A file that does not say of which build it is never stays, and never replaces one that does. */
    @Test
    void everyFileWithANoteOutranksAClaim() {
        StoredFile claim = file(UNKNOWN, Origin.UPLOAD, StoredFile.CLAIMED, new Upload(TOKEN, "ci", false, 1_000_000));
        StoredFile poorFileOfAnother = upload(X86, new Upload(OTHER, "other", false, 1));

        assertThat(Precedence.refusal(claim, poorFileOfAnother)).isEmpty();
        assertThat(Precedence.refusal(poorFileOfAnother, claim)).hasValue(Refusal.ONLY_CLAIMED);
        assertThat(Precedence.refusal(upload(X86, new Upload(TOKEN, "ci", false, 1)), claim))
                .hasValue(Refusal.ONLY_CLAIMED);
        assertThat(Precedence.refusal(stored(Origin.LOCAL, null), claim)).hasValue(Refusal.LOCAL_FOLDER_HAS_IT);
        assertThat(Precedence.refusal(
                        claim,
                        file(UNKNOWN, Origin.UPLOAD, StoredFile.CLAIMED, new Upload(OTHER, "other", false, 2_000_000))))
                .hasValue(Refusal.OTHER_TOKEN);
    }

    /** Returns why {@link #RICH} does not replace this file. */
    private static @Nullable Refusal refusal(Upload stored) {
        return Precedence.refusal(stored(Origin.UPLOAD, stored), upload(X86, RICH))
                .orElse(null);
    }

    private static StoredFile stored(Origin origin, @Nullable Upload upload) {
        return file(X86, origin, "build-id note", upload);
    }

    private static StoredFile upload(Architecture architecture, Upload upload) {
        return file(architecture, Origin.UPLOAD, "build-id note", upload);
    }

    private static StoredFile sized(long bytes, Upload upload) {
        return file(X86, Origin.UPLOAD, "build-id note", bytes, upload);
    }

    private static StoredFile file(Architecture architecture, Origin origin, String verified, @Nullable Upload upload) {
        return file(architecture, origin, verified, 1, upload);
    }

    private static StoredFile file(
            Architecture architecture, Origin origin, String verified, long bytes, @Nullable Upload upload) {
        return new StoredFile(
                architecture,
                origin,
                "x",
                "00",
                bytes,
                verified,
                PartVersions.CURRENT,
                Instant.EPOCH,
                0,
                null,
                upload,
                null);
    }
}
