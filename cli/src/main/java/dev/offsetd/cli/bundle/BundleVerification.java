package dev.offsetd.cli.bundle;

import dev.offsetd.cli.bundle.SshSignature.ValidSignature;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.query.bundle.BundleManifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;

/** {@code bundle verify}: checks a bundle and shows what it contains. */
public final class BundleVerification {

    private final Console console;

    public BundleVerification(Console console) {
        this.console = console;
    }

    /**
     * Checks the archive, the signature, every hash, and what the bundle says of each build.
     *
     * @param signers file of allowed signers; with it, the signature of one of them is required
     */
    public int run(Path file, Optional<Path> signers, boolean json) throws CommandFailure, IOException {
        try (VerifiedBundle bundle = VerifiedBundle.open(file, signers)) {
            console.progress("verifying " + file);
            bundle.read(each -> {
                each.verify();
                return true;
            });
            console.clearProgress();
            BundleManifest manifest = bundle.bundle().manifest();
            List<String> sets = bundle.bundle().setNames();
            if (json) {
                JsonOutput.print(console, out -> write(out, manifest, sets, bundle.signature()));
            } else {
                print(manifest, sets, bundle.signature());
            }
            return ExitCode.OK;
        }
    }

    private void print(BundleManifest manifest, List<String> sets, Optional<ValidSignature> signature)
            throws IOException {
        console.println(Printable.of(
                "made " + manifest.createdAt() + " from " + manifest.server() + " by offsetd " + manifest.product()));
        console.println(signature
                .map(valid -> Printable.of("signed by "
                                + valid.signer().map(name -> name + ", ").orElse("") + valid.key())
                        + (valid.signer().isPresent() ? "" : "; the owner of the key is not checked without --signers"))
                .orElse("not signed"));
        if (!sets.isEmpty()) {
            console.println("type sets: @" + String.join(", @", sets));
        }
        for (BundleManifest.BuildEntry build : manifest.builds()) {
            BundleManifest.BuildEntry.SourceEntry source = build.source();
            console.println(Printable.of(build.id() + "  " + (build.title().isEmpty() ? "-" : build.title()) + "  "
                    + (source == null ? "no debug file" : source.origin() + ' ' + source.upstream())
                    + (build.pins() > 0 ? "  " + build.pins() + " pins" : "")));
        }
    }

    private static void write(
            JsonGenerator out, BundleManifest manifest, List<String> sets, Optional<ValidSignature> signature) {
        out.writeStartObject();
        out.writeStringProperty("createdAt", manifest.createdAt().toString());
        out.writeStringProperty("server", manifest.server());
        out.writeStringProperty("product", manifest.product());
        signature.ifPresent(valid -> {
            out.writeObjectPropertyStart("signature");
            valid.signer().ifPresent(name -> out.writeStringProperty("signer", name));
            out.writeStringProperty("key", valid.key());
            out.writeEndObject();
        });
        out.writeArrayPropertyStart("typeSets");
        sets.forEach(out::writeString);
        out.writeEndArray();
        out.writeArrayPropertyStart("builds");
        manifest.builds().forEach(build -> build.write(out));
        out.writeEndArray();
        out.writeEndObject();
    }
}
