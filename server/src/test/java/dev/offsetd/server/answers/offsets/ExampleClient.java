package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An example client of the repository, and the commands that build it. */
enum ExampleClient {
    CURL {
        @Override
        RequiredTool build(Path folder) {
            RequiredTool.require("curl");
            RequiredTool.require("jq");
            return RequiredTool.at(EXAMPLES.resolve("curl/offsets.sh"));
        }
    },
    GO {
        @Override
        RequiredTool build(Path folder) throws IOException {
            go().outputIn(EXAMPLES.resolve("go"), "vet", ".");
            go().outputIn(EXAMPLES.resolve("go"), "build", "-o", folder.resolve("go-client"), ".");
            return RequiredTool.at(folder.resolve("go-client"));
        }
    },
    PYTHON {
        @Override
        RequiredTool build(Path folder) {
            RequiredTool.require("python3");
            return RequiredTool.at(EXAMPLES.resolve("python/offsets.py"))
                    .with("PYTHONPATH", LIBRARIES.resolve("python"))
                    .with("PYTHONDONTWRITEBYTECODE", 1);
        }
    },
    RUST {
        @Override
        RequiredTool build(Path folder) throws IOException {
            RequiredTool.require("rustc")
                    .output(
                            "--edition",
                            "2021",
                            "-D",
                            "warnings",
                            "-o",
                            folder.resolve("rust-client"),
                            EXAMPLES.resolve("rust/offsets.rs"));
            return RequiredTool.at(folder.resolve("rust-client"));
        }
    },
    C {
        @Override
        RequiredTool build(Path folder) throws IOException {
            return compiled(EXAMPLES.resolve("c/offsets.c"), folder.resolve("c-client"));
        }
    };

    /** The path of the module in Go. */
    static final String MODULE = "offsetd.dev/clients/go";

    static final Path EXAMPLES = Path.of("..", "examples", "clients").toAbsolutePath();

    /** The libraries that the examples in Go, Python and C use. */
    static final Path LIBRARIES = Path.of("..", "clients").toAbsolutePath();

    /** Compiles the client unless it can be run directly. */
    abstract RequiredTool build(Path folder) throws IOException;

    static RequiredTool go() {
        return RequiredTool.require("go").with("GOPROXY", "off").with("GOTOOLCHAIN", "local");
    }

    /** Writes a module with a program that uses the library in Go. */
    static void module(Path folder, String program) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("main.go"), program);
        Files.writeString(folder.resolve("go.mod"), """
                module example
                go 1.19
                require %s v0.0.0
                replace %s => %s
                """.formatted(MODULE, MODULE, LIBRARIES.resolve("go")));
    }

    /** Returns Debian's Python, for which drgn is a module. */
    static RequiredTool python() {
        Path python = Path.of("/usr/bin/python3");
        if (!Files.isExecutable(python)) {
            throw RequiredTool.unavailable(python + " is not installed");
        }
        return RequiredTool.at(python)
                .with("PYTHONPATH", LIBRARIES.resolve("python"))
                .with("PYTHONDONTWRITEBYTECODE", 1);
    }

    /** Compiles a C program with the library. */
    static RequiredTool compiled(Path source, Path program, Object... options) throws IOException {
        RequiredTool.require("curl-config");
        Object[] arguments = {
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-I",
            LIBRARIES.resolve("c"),
            "-o",
            program,
            source,
            LIBRARIES.resolve("c/offsetd.c")
        };
        Object[] all = new Object[arguments.length + options.length + 2];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        System.arraycopy(options, 0, all, arguments.length, options.length);
        all[all.length - 2] = "-lcurl";
        all[all.length - 1] = "-pthread";
        RequiredTool.require("gcc").output(all);
        return RequiredTool.at(program);
    }
}
