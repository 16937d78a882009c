package dev.offsetd.server.builds;

import dev.offsetd.server.api.model.Architecture;
import dev.offsetd.server.api.model.BuildConflict;
import dev.offsetd.server.api.model.BuildOutcome;
import dev.offsetd.server.api.model.BuildProvenance;
import dev.offsetd.server.api.model.CheckedSource;
import dev.offsetd.server.api.model.SupplementaryFile;
import dev.offsetd.server.api.model.UploadToken;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Builds as the API shows them. */
public final class BuildResource {

    /** Path under which builds are served; the build-id comes after it. */
    public static final String PATH = "/v1/builds/";

    private BuildResource() {}

    /** The build as a JSON resource. */
    public static dev.offsetd.server.api.model.Build of(Build build) {
        var resource = new dev.offsetd.server.api.model.Build(
                build.id().toString(),
                build.running()
                        ? dev.offsetd.server.api.model.Build.StateEnum.RUNNING
                        : dev.offsetd.server.api.model.Build.StateEnum.fromValue(
                                build.state().word()),
                checked(build),
                build.activePins());
        // Not the same as none: only who asks for one build is told of them.
        resource.setConflicts(null);
        build.file()
                .ifPresent(
                        file -> resource.arch(architecture(file.architecture())).provenance(provenance(file)));
        if (build.file().isEmpty()) {
            build.symbolsFile().ifPresent(file -> resource.symbolsProvenance(provenance(file)));
        }
        build.failure()
                .ifPresent(failure -> resource.outcome(
                                new BuildOutcome(failure.cause().code(), failure.detail())
                                        .section(failure.section())
                                        .offset(failure.offset()))
                        .retryAfter(wholeSeconds(build.retryAfter())));
        return resource;
    }

    private static BuildProvenance provenance(StoredFile file) {
        BuildProvenance provenance = new BuildProvenance(
                        BuildProvenance.OriginEnum.fromValue(file.origin().word()),
                        file.upstream(),
                        file.sha256(),
                        file.bytes(),
                        file.verified(),
                        Integer.toString(file.extractorVersion()),
                        file.extractedAt().atOffset(ZoneOffset.UTC))
                .fetchedBytes(file.fetchedBytes());
        StoredFile.Supplementary supplementary = file.supplementary();
        if (supplementary != null) {
            provenance.supplementary(new SupplementaryFile(
                    supplementary.buildId().toString(),
                    supplementary.upstream(),
                    supplementary.sha256(),
                    supplementary.bytes()));
        }
        Upload upload = file.upload();
        if (upload != null) {
            provenance.token(uploader(upload.token(), upload.label()));
        }
        return provenance;
    }

    /** Other files that were seen for a build, as JSON resources. */
    static List<BuildConflict> conflicts(List<Conflict> conflicts) {
        return conflicts.stream()
                .map(conflict -> new BuildConflict(
                                BuildConflict.OriginEnum.fromValue(
                                        conflict.origin().word()),
                                conflict.source(),
                                conflict.sha256(),
                                conflict.bytes(),
                                architecture(conflict.architecture()),
                                conflict.seenAt().atOffset(ZoneOffset.UTC))
                        .layoutsDiffer(conflict.layoutsDiffer())
                        .token(conflict.label() == null ? null : uploader(conflict.token(), conflict.label())))
                .toList();
    }

    private static UploadToken uploader(@Nullable UUID token, String label) {
        return new UploadToken(label).id(token);
    }

    private static Architecture architecture(dev.offsetd.extractor.layout.Architecture architecture) {
        return new Architecture(
                architecture.machine(),
                Architecture.BitsEnum.fromValue(architecture.bits()),
                Architecture.ByteOrderEnum.fromValue(architecture.byteOrderName()));
    }

    /** What the sources said, as JSON resources. */
    public static List<CheckedSource> checked(Build build) {
        return build.checked().stream()
                .map(outcome -> new CheckedSource(
                                outcome.source(),
                                CheckedSource.OriginEnum.fromValue(
                                        outcome.origin().word()),
                                CheckedSource.OutcomeEnum.fromValue(outcome.word()),
                                outcome.detail(),
                                outcome.askedAt().atOffset(ZoneOffset.UTC))
                        .retryAfter(outcome.failure() == null ? null : wholeSeconds(outcome.retryAfter())))
                .toList();
    }

    private static long wholeSeconds(Duration time) {
        return time.plusNanos(999_999_999).toSeconds();
    }
}
