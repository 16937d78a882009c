package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.api.model.Architecture;
import dev.offsetd.server.api.model.BuildConflict;
import dev.offsetd.server.api.model.BuildIdentity;
import dev.offsetd.server.api.model.BuildOmission;
import dev.offsetd.server.api.model.BuildOutcome;
import dev.offsetd.server.api.model.BuildProgress;
import dev.offsetd.server.api.model.BuildProvenance;
import dev.offsetd.server.api.model.CheckedSource;
import dev.offsetd.server.api.model.IdentityFact;
import dev.offsetd.server.api.model.SupplementaryFile;
import dev.offsetd.server.api.model.UploadToken;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.web.Problem;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

@Component
public class BuildResources {

    /** Path under which builds are served, followed by the build-id. */
    public static final String PATH = "/v1/builds/";

    private final Builds builds;
    private final PinCounts pins;
    private final BuildNames names;
    private final BuildKeys keys;
    private final LeaseHolder leases;
    private final Catalogues catalogues;

    BuildResources(
            Builds builds,
            PinCounts pins,
            BuildNames names,
            BuildKeys keys,
            LeaseHolder leases,
            Catalogues catalogues) {
        this.builds = builds;
        this.pins = pins;
        this.names = names;
        this.keys = keys;
        this.leases = leases;
        this.catalogues = catalogues;
    }

    /** Returns the resource of a build, or empty if it was never requested. */
    public Optional<dev.offsetd.server.api.model.Build> find(BuildId id) {
        return builds.find(id).map(build -> {
            int activePins = pins.activePins(List.of(id)).getOrDefault(id, 0);
            var resource = resource(build, activePins)
                    .identity(names.find(id)
                            .filter(identity -> !identity.fields().isEmpty())
                            .map(BuildResources::identity)
                            .orElse(null))
                    .aliases(aliases(id));
            if (build.file() != null) {
                resource.omitted(omitted(build));
            }
            return build.running() ? resource.progress(progressOf(id).orElse(null)) : resource;
        });
    }

    /** Returns the resource of a build that was requested. Adds the build if the caller that requested it first has yet to do so. */
    public dev.offsetd.server.api.model.Build findOrAdd(BuildId id) {
        return find(id).orElseGet(() -> {
            builds.insertIfAbsent(id);
            return find(id).orElseThrow();
        });
    }

    /** Returns what was left out of the types of a build, or null if nothing was. */
    private @Nullable List<BuildOmission> omitted(Build build) {
        try {
            List<BuildOmission> omitted = catalogues.open(build.id(), build.generation()).omissions().stream()
                    .map(omission -> new BuildOmission(
                            BuildOmission.PartEnum.fromValue(omission.part().word()),
                            BuildOmission.CauseEnum.fromValue(omission.cause().word()),
                            omission.count(),
                            omission.places()))
                    .toList();
            return omitted.isEmpty() ? null : omitted;
        } catch (CorruptBlobException e) {
            // A query finds it, too, and has the build read again.
            return null;
        }
    }

    private @Nullable List<String> aliases(BuildId id) {
        List<BuildId> aliases = keys.of(id);
        return aliases.isEmpty()
                ? null
                : aliases.stream().map(BuildId::toString).toList();
    }

    /** Returns the progress of a running build; empty if the work has just ended. */
    private Optional<BuildProgress> progressOf(BuildId id) {
        return leases.progress(id)
                .map(now -> new BuildProgress(
                                BuildProgress.PhaseEnum.fromValue(now.phase().word()))
                        .bytes(now.bytes())
                        .totalBytes(now.totalBytes())
                        .startedAt(
                                now.startedAt() == null ? null : now.startedAt().atOffset(ZoneOffset.UTC))
                        .secondsLeft(now.left().map(Problem::wholeSeconds).orElse(null)));
    }

    /** Returns the resources of these builds, in the same order. */
    public List<dev.offsetd.server.api.model.Build> of(List<Build> builds) {
        Map<BuildId, Integer> counts =
                pins.activePins(builds.stream().map(Build::id).toList());
        Map<BuildId, String> titles =
                names.titles(builds.stream().map(Build::id).toList());
        return builds.stream()
                .map(build -> resource(build, counts.getOrDefault(build.id(), 0))
                        .identity(titles.containsKey(build.id()) ? titled(titles.get(build.id())) : null))
                .toList();
    }

    private static BuildIdentity titled(String title) {
        // Null, not empty: lists have the titles only.
        return new BuildIdentity(title).fields(null);
    }

    private static BuildIdentity identity(Identity identity) {
        return titled(identity.title())
                .fields(identity.fields().stream()
                        .map(field -> new IdentityFact(
                                field.kind().wireName(), field.value(), field.source(), field.derived()))
                        .toList());
    }

    private static dev.offsetd.server.api.model.Build resource(Build build, int activePins) {
        var resource = new dev.offsetd.server.api.model.Build(
                build.id().toString(),
                build.running()
                        ? dev.offsetd.server.api.model.Build.StateEnum.RUNNING
                        : dev.offsetd.server.api.model.Build.StateEnum.fromValue(
                                build.state().word()),
                checked(build),
                activePins);
        // Null, not empty: only the resource of a single build lists conflicts and aliases.
        resource.setConflicts(null);
        resource.setAliases(null);
        resource.setOmitted(null);
        StoredFile stored = build.file();
        if (stored != null) {
            resource.arch(architecture(stored.architecture())).provenance(provenance(stored));
        } else {
            build.symbolsFile().ifPresent(file -> resource.symbolsProvenance(provenance(file)));
        }
        ClaimedName claimed = build.claimedName();
        if (claimed != null) {
            resource.claimedName(claimed.name())
                    .claimedPackage(claimed.packageName().orElse(null))
                    .claimedBy(dev.offsetd.server.api.model.ClaimedBy.fromValue(
                            claimed.by().word()));
        }
        Failure failure = build.failure();
        if (failure != null) {
            resource.outcome(new BuildOutcome(failure.cause().code(), failure.detail())
                            .section(failure.section())
                            .offset(failure.offset()))
                    .retryAfter(Problem.wholeSeconds(build.retryAfter()));
        }
        return resource;
    }

    private static BuildProvenance provenance(StoredFile file) {
        BuildProvenance provenance = new BuildProvenance(
                        file.origin().word(),
                        file.upstream(),
                        file.sha256(),
                        file.bytes(),
                        file.verified(),
                        Integer.toString(file.versions().types()),
                        file.extractedAt().atOffset(ZoneOffset.UTC))
                .fetchedBytes(file.fetchedBytes())
                .imaSignature(file.imaSignature());
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

    static List<BuildConflict> conflicts(List<ConflictingFile> conflicts) {
        return conflicts.stream()
                .map(conflict -> new BuildConflict(
                                conflict.origin().word(),
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

    public static List<CheckedSource> checked(Build build) {
        return build.checked().stream()
                .map(outcome -> new CheckedSource(
                                outcome.source(),
                                outcome.origin().word(),
                                CheckedSource.OutcomeEnum.fromValue(outcome.word()),
                                outcome.detail(),
                                outcome.askedAt().atOffset(ZoneOffset.UTC))
                        .retryAfter(outcome.failure() == null ? null : Problem.wholeSeconds(outcome.retryAfter())))
                .toList();
    }
}
