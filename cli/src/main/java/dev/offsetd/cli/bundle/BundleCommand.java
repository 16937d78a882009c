package dev.offsetd.cli.bundle;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code bundle}: its subcommands make, check and import bundles. */
public final class BundleCommand extends Command {

    public BundleCommand(Console console) {
        super(
                console,
                "Carry builds to hosts without a network, in one signed file.",
                "create downloads builds from a server, import sends them to another one. offsetd query --bundle"
                        + " answers from the file itself.");
        examples(
                "offsetd bundle create 127.0.0.1:8080 --all --key id_ed25519 -o site.offsetd",
                "offsetd bundle verify site.offsetd --signers signers",
                "offsetd bundle import site.offsetd 10.0.0.5:8080 --signers signers",
                "offsetd query --bundle site.offsetd BUILDID @ruby");
        exitCodes("0:help was shown", "2:no such command; the help of each command lists the others");
    }

    /** Declares the option for the file of allowed signers. */
    public static Supplier<@Nullable Path> signers(Command command) {
        return command.option(
                "--signers",
                "FILE",
                Path.class,
                "require the signature of one of these keys (ALLOWED SIGNERS in ssh-keygen(1))");
    }

    @Override
    protected Map<String, Command> subcommands() {
        Map<String, Command> commands = new LinkedHashMap<>();
        commands.put("create", new BundleCreateCommand(console));
        commands.put("verify", new BundleVerifyCommand(console));
        commands.put("import", new BundleImportCommand(console));
        return commands;
    }

    @Override
    public Integer call() throws CommandFailure {
        throw CommandFailure.usage("bundle needs a command: create, verify or import; see offsetd bundle --help");
    }
}
