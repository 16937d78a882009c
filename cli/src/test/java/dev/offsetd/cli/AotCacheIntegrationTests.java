package dev.offsetd.cli;

import static dev.offsetd.cli.LauncherProject.await;
import static dev.offsetd.cli.LauncherProject.makeExecutable;
import static dev.offsetd.cli.LauncherProject.makeJdk;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.LauncherProject.Run;
import dev.offsetd.cli.LauncherProject.Start;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the launcher and an installed server train and use AOT caches. */
class AotCacheIntegrationTests {

    /** How a server trains. */
    private static final String TRAIN = ". \"$0\" && train_server \"$1\"";

    @TempDir
    Path scratch;

    private LauncherProject project;
    private Path jdk;

    @BeforeEach
    void outlineOfTheProject() throws IOException {
        project = new LauncherProject(scratch);
        jdk = project.jdks.resolve("jdk-25");
    }

    @Test
    void firstStartOfAProgramTrainsItsCache() throws Exception {
        Run help = project.run("serve", "--help");
        assertThat(trainings(jdk)).isEmpty();

        Run command = project.run("types", "x");
        Run second = project.run("extract", "x", "A");
        assertThat(trainings(jdk)).hasSize(1).allMatch(line -> line.endsWith("/cli/offsetd-cli.jar train ."));
        Run training = trainServer();
        Run server = project.run("serve");
        Run token = project.run("token", "list");

        assertThat(help.out()).doesNotContain("AOTCache");
        assertThat(List.of(cacheOf(command), cacheOf(second))).containsOnly(project.onlyApp() + "/cli/offsetd.aot");
        assertThat(List.of(cacheOf(server), cacheOf(token))).containsOnly(project.onlyApp() + "/server/offsetd.aot");
        for (Run trained : List.of(command, training)) {
            assertThat(trained.err())
                    .as("the step, where its output is not a terminal")
                    .startsWith("offsetd: training the AOT cache for faster starts (once, 10 to 60 seconds); log: ")
                    .hasLineCount(1);
        }
        assertThat(second.err() + server.err()).isEmpty();
        assertThat(trainings(jdk)).hasSize(2);
        assertThat(trainings(jdk).getLast())
                .as("with the options of later starts")
                .contains("-XX:+UseParallelGC")
                .endsWith("/offsetd-server.jar train --data data");
        assertThat(trainingFolders()).isEmpty();
    }

    /** Trains the cache of the built server as that does once it is ready. */
    private Run trainServer() throws Exception {
        return project.start(
                        project.root,
                        Path.of("sh"),
                        Map.of("JAVA_HOME", jdk.toString()),
                        "-euc",
                        TRAIN,
                        project.root.resolve("packaging/programs.sh").toString(),
                        project.onlyApp().resolve("server").toString())
                .end();
    }

    @Test
    void serverStartsUntrainedAndKnowsHowToTrain() throws Exception {
        Run first = project.run("serve");

        assertThat(trainings(jdk)).isEmpty();
        assertThat(first.out())
                .contains("<-Doffsetd.aot=" + project.onlyApp() + "/server/offsetd.aot>")
                .contains("<--offsetd.trained-by=" + project.root + "/packaging/programs.sh>");
    }

    @Test
    void cacheIsForEveryUserWhoeverTrains() throws Exception {
        project.run("types", "x");
        trainServer();

        for (String cache : List.of("cli/offsetd.aot", "server/offsetd.aot", "server/offsetd.aot.folder")) {
            assertThat(Files.getPosixFilePermissions(project.onlyApp().resolve(cache)))
                    .as(cache)
                    .contains(PosixFilePermission.OTHERS_READ);
        }
    }

    @Test
    void programStartsWithoutACacheWhileAnotherIsTrained() throws Exception {
        project.java("""
                    *AOTCacheOutput*) touch "${0%/*}/training"; exec sleep 60 ;;
                    *) printf ' <%s>' "$@" ;;
                """);
        Start first = project.start(Map.of(), "types", "x");
        await("training begins", () -> Files.exists(jdk.resolve("bin/training")));

        Run run = project.run("types", "y");
        first.process().destroy();

        assertThat(run.out()).contains("<types> <y>").doesNotContain("AOTCache");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void interruptedTrainingIsRepeated() throws Exception {
        String recording = Files.readString(jdk.resolve("bin/java"));
        project.java("""
                    *AOTCacheOutput*) echo $$ > "${0%/*}/pid.new"; mv "${0%/*}/pid.new" "${0%/*}/pid"; exec sleep 60 ;;
                """);
        Start first = project.start(Map.of(), "types", "x");
        await("training begins", () -> Files.exists(jdk.resolve("bin/pid")));
        ProcessHandle trainer = ProcessHandle.of(
                        Long.parseLong(Files.readString(jdk.resolve("bin/pid")).strip()))
                .orElseThrow();

        first.process().destroy();

        assertThat(first.end().exitCode()).isEqualTo(143);
        await("the training run ends", () -> !trainer.isAlive());
        Files.writeString(jdk.resolve("bin/java"), recording);
        assertThat(cacheOf(project.run("types", "x"))).endsWith("/cli/offsetd.aot");
        assertThat(trainingFolders()).isEmpty();
    }

    @Test
    void trainingRunDoesNotSeeTheUsersSettings() throws Exception {
        project.run(Map.of("SPRING_DATASOURCE_URL", "jdbc:mine", "OFFSETD_OFFLINE", "true"), "types", "x");

        assertThat(jdk.resolve("bin/trainings"))
                .content()
                .contains("PATH=")
                .doesNotContain("SPRING_DATASOURCE_URL", "OFFSETD_OFFLINE", "HOME=" + scratch + "\n");
    }

    @Test
    void failedTrainingIsReportedOnceAndTheProgramStarts() throws Exception {
        Files.createFile(jdk.resolve("bin/untrainable"));

        Run first = project.run("types", "x");
        Run second = project.run("types", "x");

        assertThat(first.exitCode()).isZero();
        assertThat(first.out()).contains("/cli/offsetd-cli.jar>").doesNotContain("AOTCache");
        assertThat(first.err())
                .contains("\noffsetd: training the AOT cache", "\noffsetd: no AOT cache")
                .hasLineCount(3);
        assertThat(second.out()).contains("/cli/offsetd-cli.jar>").doesNotContain("AOTCache");
        assertThat(second.err()).isEmpty();
        assertThat(trainings(jdk)).hasSize(1);
        assertThat(trainingFolders()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xshare:off", "-XX:AOTMode=off", "-XX:SharedArchiveFile=mine.jsa"})
    void archiveOptionsOfTheUserTurnTheCacheOff(String option) throws Exception {
        for (String command : List.of("serve", "types")) {
            assertThat(project.run(Map.of("JDK_JAVA_OPTIONS", option), command).out())
                    .doesNotContain("-XX:AOTCache");
        }
        assertThat(trainings(jdk)).isEmpty();
    }

    @Test
    void installPutsServerRuntimeAndCacheIntoAnEmptyFolder() throws Exception {
        Path folder = scratch.resolve("opt/the server");

        Run run = project.run("install", folder.toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("The server: " + folder + "/offsetd-server\n");
        assertThat(run.err().lines().map(line -> line.replaceFirst(" \\(.*", "")))
                .containsExactly(
                        "offsetd: building",
                        "offsetd: assembling the programs and a Java runtime",
                        "offsetd: training the AOT cache for faster starts",
                        "offsetd: training the AOT cache for faster starts");
        assertThat(folder.resolve("offsetd-server")).isExecutable();
        assertThat(folder.resolve("offsetd-server.jar")).exists();
        assertThat(folder.resolve("lib"))
                .isDirectoryContaining("glob:**/lib.jar")
                .isDirectoryNotContaining("glob:**/*postgres*");
        assertThat(folder.resolve("postgresql/bin/postgres")).hasContent("program");
        try (Stream<Path> libraries = Files.list(folder.resolve("postgresql/lib"))) {
            assertThat(libraries).singleElement().satisfies(library -> {
                assertThat(library).hasFileName("libx.so.1").hasContent("library");
                assertThat(Files.isSymbolicLink(library)).isFalse();
            });
        }
        assertThat(folder.resolve("offsetd.aot")).hasContent("cache");
        assertThat(folder.resolve("cli/offsetd.aot")).hasContent("cache");
        assertThat(trainings(folder.resolve("runtime")))
                .as("by the installed runtime, in their folders")
                .satisfiesExactly(
                        server -> assertThat(server).contains(" -jar " + folder + "/offsetd-server.jar train "),
                        commands -> assertThat(commands).contains(" -jar " + folder + "/cli/offsetd-cli.jar train "));
        assertThat(folder.resolve("training")).doesNotExist();
        assertThat(project.run("install", folder.toString()).exitCode()).isEqualTo(2);
        assertThat(project.run("install").exitCode()).isEqualTo(2);
    }

    /** The user of a service cannot write to the installation. */
    @Test
    void anotherUserStartsFromTheInstalledCachesAndTrainsNone() throws Exception {
        Path setpriv = RequiredTool.require("setpriv").path();
        if (!Files.getOwner(scratch).getName().equals("root")) {
            throw RequiredTool.unavailable("only root may become another user");
        }
        Path folder = scratch.resolve("opt/offsetd");
        project.run("install", folder.toString());
        for (Path above = folder;
                !above.equals(Path.of("/tmp")) && above.getParent() != null;
                above = above.getParent()) {
            Files.setPosixFilePermissions(above, PosixFilePermissions.fromString("rwxr-xr-x"));
        }

        Path as = Files.writeString(
                scratch.resolve("as"),
                "#!/bin/sh\nexec '%s' --reuid=65534 --regid=65534 --clear-groups \"$@\"\n".formatted(setpriv));
        makeExecutable(as);

        for (String program : List.of("offsetd-server", "cli/offsetd-cli")) {
            Run run = project.start(
                            scratch, as, Map.of(), folder.resolve(program).toString(), "types")
                    .end();
            assertThat(cacheOf(run))
                    .isEqualTo(folder.resolve(program)
                            .resolveSibling("offsetd.aot")
                            .toString());
        }
        Files.delete(folder.resolve("offsetd.aot"));
        Run training = project.start(
                        scratch, as, Map.of(), "sh", "-euc", TRAIN, folder + "/programs.sh", folder.toString())
                .end();
        assertThat(training).isEqualTo(new Run(0, "", ""));
        assertThat(trainings(folder.resolve("runtime")))
                .as("those of the installation")
                .hasSize(2);
    }

    @Test
    void installedServerStartsWithItsOwnRuntimeAndCache() throws Exception {
        Path installed = Files.createDirectories(scratch.resolve("opt/offsetd"));
        makeJdk(installed.resolve("runtime"), "25");
        Files.writeString(installed.resolve("offsetd.aot"), "cache");
        Files.writeString(installed.resolve("offsetd.aot.folder"), installed + "\n");
        Path script = Files.copy(project.root.resolve("packaging/offsetd-server"), installed.resolve("offsetd-server"));
        makeExecutable(script);

        Start start = project.start(scratch, script, Map.of(), "--port", "1");

        assertThat(start.end().out())
                .startsWith(installed + "/runtime/bin/java ")
                .contains("\npid " + start.process().pid() + "\n")
                .contains("<-XX:AOTCache=" + installed + "/offsetd.aot>")
                .contains("<-XX:MaxRAMPercentage=50>")
                .contains("/offsetd-server.jar> <--port> <1>");
        assertThat(project.start(scratch, script, Map.of("OFFSETD_JAVA_OPTS", "-Xmx3g"))
                        .end()
                        .out())
                .contains("<-Xmx3g>")
                .doesNotContain("MaxRAM");
    }

    @Test
    void installedCommandsStartWithTheRuntimeBesideThem() throws Exception {
        Path folder = scratch.resolve("opt/offsetd");
        project.run("install", folder.toString());
        Path link = Files.createSymbolicLink(scratch.resolve("offsetd"), folder.resolve("offsetd"));

        Run command = project.start(scratch, link, Map.of(), "types", "x").end();
        Run token = project.start(scratch, link, Map.of(), "token", "list").end();
        Run server = project.start(scratch, link, Map.of(), "serve").end();

        assertThat(List.of(command.out(), token.out(), server.out()))
                .allMatch(out -> out.startsWith(folder + "/runtime/bin/java "));
        assertThat(command.out()).contains("<-XX:AOTCache=" + folder + "/cli/offsetd.aot>", "<types> <x>");
        assertThat(command.out()).contains("<-Doffsetd.output=file>", "<-Doffsetd.installed=true>");
        // The commands on the database have fewer beans than the server, whose definitions the build generates.
        assertThat(server.out()).contains("<-Dspring.aot.enabled=true>");
        assertThat(token.out()).contains("/offsetd-server.jar> <token> <list>").doesNotContain("spring.aot.enabled");
        assertThat(cacheOf(server)).isEqualTo(folder + "/offsetd.aot");
    }

    /** The JVM ends with an error when its cache was made in another folder. */
    @Test
    void cachesOfAMovedFolderAreNotUsedButMadeAgain() throws Exception {
        Path folder = scratch.resolve("opt/offsetd");
        project.run("install", folder.toString());
        Path moved = Files.move(folder, scratch.resolve("moved"));

        Run program = project.start(scratch, moved.resolve("cli/offsetd-cli"), Map.of(), "types", "x")
                .end();
        Run command = project.start(scratch, moved.resolve("offsetd"), Map.of(), "types", "x")
                .end();

        assertThat(program.out()).doesNotContain("-XX:AOTCache=");
        assertThat(trainings(moved.resolve("runtime")))
                .hasSize(3)
                .last()
                .asString()
                .contains(moved + "/cli/");
        assertThat(cacheOf(command)).isEqualTo(moved + "/cli/offsetd.aot");
    }

    /** With the JVM that runs this test, and a program of one class in place of the server. */
    @Test
    void jvmStartsFromTheCacheAndWithoutItIfItIsBroken() throws Exception {
        Path real = Path.of(System.getProperty("java.home"));
        makeProgram(scratch.resolve("program.jar"));
        Files.copy(real.resolve("release"), jdk.resolve("release"), StandardCopyOption.REPLACE_EXISTING);
        project.script(
                "../jdks/jdk-25/bin/java", """
                for last; do :; done
                case "$*" in
                    *jarmode*) mkdir -p "$last"; cp %s "$last/offsetd-server-0-exec.jar" ;;
                    *) exec %s "$@" ;;
                esac
                """.formatted(scratch.resolve("program.jar"), real.resolve("bin/java")));
        Map<String, String> logging = Map.of("OFFSETD_JAVA_OPTS", "-Xlog:class+load");

        project.run("serve", "a");
        trainServer();
        assertThat(project.run("serve", "a")).isEqualTo(new Run(0, "program a\n", ""));
        assertThat(project.run(logging, "serve").out()).containsPattern(" Program source: shared objects file");

        Path cache = project.onlyApp().resolve("server/offsetd.aot");
        byte[] whole = Files.readAllBytes(cache);
        for (byte[] broken : List.of(new byte[0], new byte[5000], Arrays.copyOf(whole, whole.length / 2))) {
            Files.write(cache, broken);
            assertThat(project.run("serve", "b")).isEqualTo(new Run(0, "program b\n", ""));
        }
    }

    /** The training runs of a JDK. */
    private static List<String> trainings(Path jdk) throws IOException {
        Path trainings = jdk.resolve("bin/trainings");
        return Files.exists(trainings)
                ? Files.readAllLines(trainings).stream()
                        .filter(line -> line.startsWith("training "))
                        .toList()
                : List.of();
    }

    private static String cacheOf(Run run) {
        return run.out()
                .lines()
                .filter(line -> line.contains("-XX:AOTCache="))
                .findFirst()
                .map(line -> line.replaceAll(".*<-XX:AOTCache=([^>]*)>.*", "$1"))
                .orElseThrow(() -> new AssertionError("no cache: " + run));
    }

    private List<Path> trainingFolders() throws IOException {
        try (var files = Files.walk(project.onlyApp())) {
            return files.filter(path -> path.endsWith("training")).toList();
        }
    }

    /** A program whose only class, Program, prints its last argument. */
    private void makeProgram(Path jar) throws IOException {
        project.write("Program.java", """
                class Program {
                    public static void main(String[] arguments) {
                        System.out.println("program " + arguments[arguments.length - 1]);
                    }
                }
                """);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, project.root.resolve("Program.java").toString());
        assertThat(result).isZero();
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Program");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.putNextEntry(new JarEntry("Program.class"));
            Files.copy(project.root.resolve("Program.class"), out);
        }
    }
}
