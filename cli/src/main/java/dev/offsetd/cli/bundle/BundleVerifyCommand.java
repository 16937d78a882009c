package dev.offsetd.cli.bundle;

import dev.offsetd.cli.bundle.SshSignature.ValidSignature;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.query.bundle.BundleManifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code bundle verify}: checks a bundle and shows what it contains. */
final class BundleVerifyCommand extends Command {

    private final Supplier<Path> file = parameter("FILE", Path.class, "the bundle");
    private final Supplier<@Nullable Path> signers = BundleCommand.signers(this);
    private final BooleanSupplier json = flag("-j,--json", "print JSON");

    BundleVerifyCommand(Console console) {
        super(console, "Check the signature and every hash of a bundle, and list its builds.");
        examples("offsetd bundle verify site.offsetd --signers signers");
        exitCodes(
                "0:the bundle is whole; with --signers, one of them signed it",
                "3:it is damaged or changed, or its signature is missing or not valid");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        try (VerifiedBundle bundle = VerifiedBundle.open(file.get(), signers.get())) {
            console.progress("verifying " + file.get());
            bundle.read(each -> {
                each.verify();
                return true;
            });
            console.clearProgress();
            BundleManifest manifest = bundle.bundle().manifest();
            List<String> sets = bundle.bundle().setNames();
            if (json.getAsBoolean()) {
                JsonOutput.print(console, out -> write(out, manifest, sets, bundle.signature()));
            } else {
                print(manifest, sets, bundle.signature());
            }
            return ExitCode.OK;
        }
    }

    private void print(BundleManifest manifest, List<String> sets, @Nullable ValidSignature signature)
            throws IOException {
        console.println(Printable.of(
                "made " + manifest.createdAt() + " from " + manifest.server() + " by " + manifest.product()));
        if (signature == null) {
            console.println("not signed");
        } else if (signature.signer() == null) {
            console.println(Printable.of("signed by " + signature.key())
                    + "; the owner of the key is not checked without --signers");
        } else {
            console.println(Printable.of("signed by " + signature.signer() + ", " + signature.key()));
        }
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
            JsonGenerator out, BundleManifest manifest, List<String> sets, @Nullable ValidSignature signature) {
        out.writeStartObject();
        out.writeStringProperty("createdAt", manifest.createdAt().toString());
        out.writeStringProperty("server", manifest.server());
        out.writeStringProperty("product", manifest.product());
        if (signature != null) {
            out.writeObjectPropertyStart("signature");
            if (signature.signer() != null) {
                out.writeStringProperty("signer", signature.signer());
            }
            out.writeStringProperty("key", signature.key());
            out.writeEndObject();
        }
        out.writeArrayPropertyStart("typeSets");
        sets.forEach(out::writeString);
        out.writeEndArray();
        out.writeArrayPropertyStart("builds");
        manifest.builds().forEach(build -> build.write(out));
        out.writeEndArray();
        out.writeEndObject();
    }
}
