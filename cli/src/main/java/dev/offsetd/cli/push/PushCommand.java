package dev.offsetd.cli.push;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code push URL FILE...}: uploads debug information that no source has. */
public final class PushCommand extends Command {

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<List<Path>> paths = parameters(
            "FILE",
            true,
            Path.class,
            "ELF files with debug information, and folders, packages, archives and images with such files;"
                    + " - is standard input");
    private final BooleanSupplier whole = flag(
            "--whole",
            "send whole files: with code, and with the line tables, without which addresses have functions and no"
                    + " lines");
    private final BooleanSupplier executables =
            flag("--executables", "also send stripped executables and libraries, for their keys, names and symbols");
    private final Supplier<@Nullable Path> notes = option(
            "--notes",
            "FILE",
            Path.class,
            "notes of the kernel whose raw BTF is sent: /sys/kernel/notes. It cannot be verified, so any other file"
                    + " of the build replaces it");
    private final BooleanSupplier json = flag("-j,--json", "print one JSON document at the end");
    private final ServerOptions server = new ServerOptions(this);

    public PushCommand(Console console) {
        super(
                console,
                "Upload the debug information of builds that no debuginfod has.",
                "Takes ELF files, folders, .deb and .rpm packages, tar archives and images, like prewarm.",
                "Sends only what the server needs for types, symbols and functions, and no debug file that it has.");
        examples(
                "offsetd push http://127.0.0.1:8080 build/libapp.so.debug",
                "offsetd push http://127.0.0.1:8080 app-dbgsym_1.0_amd64.deb",
                "offsetd push 127.0.0.1:8080 /sys/kernel/btf/vmlinux --notes /sys/kernel/notes");
        exitCodes(
                "0:the server has every file, or an equivalent one",
                "2:invalid command line, or the server answered 400 or 409",
                "3:a file was refused, is unreadable or has no debug information; the output has the reason",
                "4:the server is unreachable or failed",
                "6:no FILE has debug information; nothing was sent",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        URI address = ServerOptions.server(url.get());
        Pushing.Options options =
                new Pushing.Options(whole.getAsBoolean(), executables.getAsBoolean(), notes.get(), json.getAsBoolean());
        return new Pushing(console, server.token()).run(address, paths.get(), options);
    }
}
