package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.DocumentWalk;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The plain manifests and the chart, against the schemas of Kubernetes and against each other. */
class KubernetesIntegrationTests {

    private static final Path MANIFESTS = Path.of("..", "packaging", "kubernetes", "offsetd.yaml");
    private static final Path CHART =
            Path.of("..", "packaging", "helm").toAbsolutePath().normalize();
    private static final Gson JSON = new Gson();

    @TempDir
    private Path folder;

    private static Yaml yaml() {
        return new Yaml(new SafeConstructor(new LoaderOptions()));
    }

    /** Returns the objects by their kind. */
    private static Map<String, JsonElement> objects(String text) {
        Map<String, JsonElement> objects = new LinkedHashMap<>();
        for (Object document : yaml().loadAll(text)) {
            JsonElement json = JSON.toJsonTree(document);
            objects.put(json.getAsJsonObject().get("kind").getAsString(), json);
        }
        return objects;
    }

    /** Requires known fields of the right kinds, and all that are mandatory, at every level. */
    private static void validateServers(Map<String, JsonElement> objects) throws IOException {
        V1Service.validateJsonElement(objects.get("Service"));
        V1PodDisruptionBudget.validateJsonElement(objects.get("PodDisruptionBudget"));
        V1Deployment.validateJsonElement(objects.get("Deployment"));
    }

    private static JsonElement at(@Nullable JsonElement json, Object... path) {
        JsonElement current = Objects.requireNonNull(json);
        for (Object step : path) {
            current = step instanceof Integer index
                    ? current.getAsJsonArray().get(index)
                    : current.getAsJsonObject().get((String) step);
            assertThat(current).as("%s", step).isNotNull();
        }
        return current;
    }

    @Test
    void manifestsFitTheSchemas() throws Exception {
        String text = Files.readString(MANIFESTS);

        assertThat(objects(text)).containsOnlyKeys("Service", "PodDisruptionBudget", "Deployment");
        validateServers(objects(text));

        assertThatThrownBy(() ->
                        validateServers(objects(text.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem"))))
                .hasMessageContaining("readOnlyRootFileSystem");
        assertThatThrownBy(() -> validateServers(objects(text.replace("          image: \"offsetd:0.1.0\"\n", "")
                        .replace("- name: offsetd\n", "- tty: true\n"))))
                .hasMessageContaining("name");
    }

    @Test
    void podsAreRestrictedAndOneStaysAvailable() throws Exception {
        Map<String, JsonElement> objects = objects(Files.readString(MANIFESTS));
        JsonElement deployment = objects.get("Deployment");
        JsonElement pod = at(deployment, "spec", "template", "spec");
        JsonElement container = at(pod, "containers", 0);
        JsonElement labels = at(deployment, "spec", "template", "metadata", "labels");

        assertThat(at(deployment, "spec", "replicas").getAsInt()).isEqualTo(2);
        assertThat(at(objects.get("PodDisruptionBudget"), "spec", "minAvailable")
                        .getAsInt())
                .isOne();
        assertThat(at(objects.get("PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(at(objects.get("Service"), "spec", "selector")).isEqualTo(labels);
        assertThat(at(pod, "securityContext", "runAsNonRoot").getAsBoolean()).isTrue();
        assertThat(at(pod, "securityContext", "seccompProfile", "type").getAsString())
                .isEqualTo("RuntimeDefault");
        assertThat(at(pod, "automountServiceAccountToken").getAsBoolean()).isFalse();
        assertThat(at(pod, "enableServiceLinks").getAsBoolean()).isFalse();
        assertThat(at(container, "securityContext", "readOnlyRootFilesystem").getAsBoolean())
                .isTrue();
        assertThat(at(container, "securityContext", "allowPrivilegeEscalation").getAsBoolean())
                .isFalse();
        assertThat(at(container, "securityContext", "capabilities", "drop", 0).getAsString())
                .isEqualTo("ALL");
        assertThat(at(container, "readinessProbe", "httpGet", "path").getAsString())
                .isEqualTo("/readyz");
        assertThat(at(container, "livenessProbe", "httpGet", "path").getAsString())
                .isEqualTo("/livez");
        for (int i = 0; i < 3; i++) {
            assertThat(at(container, "env", i, "valueFrom", "secretKeyRef", "name")
                            .getAsString())
                    .isEqualTo("offsetd-database");
        }
    }

    /** The kubelet makes an emptyDir with an fsGroup writable for all, which the server refuses: others could replace its files. */
    @Test
    void dataFolderIsPrivateToTheServer() throws Exception {
        JsonElement pod = at(objects(Files.readString(MANIFESTS)).get("Deployment"), "spec", "template", "spec");
        assumeThat(Files.getAttribute(folder, "unix:uid"))
                .as("only root has volumes")
                .isEqualTo(0);
        Path volume = Files.createDirectory(folder.resolve("volume"));
        for (Path parent : List.of(folder, volume)) {
            Files.setAttribute(parent, "unix:mode", 02777);
        }
        Files.setAttribute(volume, "unix:gid", 10001);
        List<String> command = new ArrayList<>(List.of(
                RequiredTool.require("setpriv").path().toString(),
                "--reuid=10001",
                "--regid=10001",
                "--clear-groups",
                "--no-new-privs"));
        at(pod, "initContainers", 0, "command")
                .getAsJsonArray()
                .forEach(word -> command.add(word.getAsString()
                        .replace(
                                at(pod, "initContainers", 0, "volumeMounts", 0, "mountPath")
                                        .getAsString(),
                                volume.toString())));

        assertThat(CommandLine.run(folder, Map.of(), command.toArray(String[]::new))
                        .exitCode())
                .isZero();

        Path data = volume.resolve(
                at(pod, "containers", 0, "volumeMounts", 0, "subPath").getAsString());
        assertThat(Files.getPosixFilePermissions(data)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(Files.getAttribute(data, "unix:uid")).isEqualTo(10001);
        assertThat(at(pod, "containers", 0, "volumeMounts", 0, "mountPath").getAsString())
                .isEqualTo("/var/lib/offsetd");
    }

    @Test
    void chartRendersTheManifestsByDefault() throws Exception {
        Run rendered = helm("template", "offsetd", CHART.toString());

        assertThat(rendered.err()).isEmpty();
        assertThat(objects(rendered.out())).isEqualTo(objects(Files.readString(MANIFESTS)));
    }

    @Test
    void chartHasNoWarnings() throws Exception {
        Run lint = helm("lint", CHART.toString());

        assertThat(lint.exitCode()).as(lint.out()).isZero();
        // The library reports errors without a failure, too.
        assertThat(lint.out()).contains("Chart.yaml").doesNotContain("[ERROR]", "[WARNING]");
    }

    @Test
    void valueThatDoesNotExistIsRefused() throws Exception {
        for (String value : List.of("podAnnotation.a=b", "ingress.host=a", "serviceMonitor.enabled=1", "image.tag=")) {
            Run refused = helm("template", "offsetd", CHART.toString(), "--set", value);

            assertThat(refused.exitCode()).as(value).isNotZero();
            assertThat(refused.out()).isEmpty();
            assertThat(refused.err()).as(value).contains(value.substring(value.indexOf('.') + 1, value.indexOf('=')));
        }
    }

    @Test
    void exampleOfTheDocumentFitsTheSchemas() throws Exception {
        Map<String, JsonElement> objects = exampleOfTheDocument("offsetd");

        assertThat(objects.keySet())
                .containsExactlyInAnyOrder(
                        "Service", "PodDisruptionBudget", "Deployment", "ConfigMap", "Ingress", "ServiceMonitor");
        validateServers(objects);
        V1ConfigMap.validateJsonElement(objects.get("ConfigMap"));
        V1Ingress.validateJsonElement(objects.get("Ingress"));
    }

    @Test
    void configurationIsAFileInTheWorkingFolderOfTheServer() throws Exception {
        Map<String, JsonElement> objects = exampleOfTheDocument("offsetd");
        String file = at(objects.get("ConfigMap"), "data", "application.yaml").getAsString();
        JsonElement pod = at(objects.get("Deployment"), "spec", "template", "spec");
        JsonElement container = at(pod, "containers", 0);

        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        new YamlPropertySourceLoader()
                .load("file", new ByteArrayResource(file.getBytes(StandardCharsets.UTF_8)))
                .forEach(environment.getPropertySources()::addFirst);
        assertThat(Settings.ofServer().check(environment)).isEmpty();
        assertThat(environment.getProperty("offsetd.upstreams.ca-file")).isEqualTo("/etc/offsetd-ca/ca.pem");
        assertThat(at(container, "workingDir").getAsString()).isEqualTo("/etc/offsetd");
        assertThat(byName(at(container, "volumeMounts"), "config", "mountPath")).isEqualTo("\"/etc/offsetd\"");
        assertThat(byName(at(container, "volumeMounts"), "ca", "mountPath")).isEqualTo("\"/etc/offsetd-ca\"");
        assertThat(byName(at(pod, "volumes"), "config", "configMap")).isEqualTo("{\"name\":\"offsetd\"}");
        assertThat(byName(at(pod, "volumes"), "ca", "configMap")).isEqualTo("{\"name\":\"internal-ca\"}");
        assertThat(byName(at(container, "env"), "OFFSETD_UPSTREAMS_PROXY", "valueFrom"))
                .contains("egress-proxy");
    }

    @Test
    void changedConfigurationRestartsThePods() throws Exception {
        JsonElement before = podTemplate("offline=true", "read-auth=true");
        JsonElement same = podTemplate("read-auth=true", "offline=true");
        JsonElement after = podTemplate("offline=true", "read-auth=false");

        assertThat(same).isEqualTo(before);
        assertThat(after).isNotEqualTo(before);
    }

    private JsonElement podTemplate(String first, String second) throws Exception {
        Run run = helm(
                "template",
                "offsetd",
                CHART.toString(),
                "--set",
                "config.offsetd." + first,
                "--set",
                "config.offsetd." + second);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return at(objects(run.out()).get("Deployment"), "spec", "template");
    }

    @Test
    void podsEndAfterTheirDrainDelayAndTheLongestQuery() throws Exception {
        Run run = helm("template", "offsetd", CHART.toString(), "--set", "drainDelaySeconds=20");
        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonElement pod = at(objects(run.out()).get("Deployment"), "spec", "template", "spec");

        assertThat(byName(at(pod, "containers", 0, "env"), "OFFSETD_DRAIN_DELAY", "value"))
                .isEqualTo("\"20s\"");
        assertThat(at(pod, "terminationGracePeriodSeconds").getAsInt()).isEqualTo(55);
    }

    @Test
    void podsAreScheduledAsTheValuesSay() throws Exception {
        JsonElement template = at(exampleOfTheDocument("other").get("Deployment"), "spec", "template");
        JsonElement pod = at(template, "spec");

        assertThat(at(pod, "imagePullSecrets")).hasToString("[{\"name\":\"registry-credentials\"}]");
        assertThat(at(pod, "nodeSelector")).hasToString("{\"kubernetes.io/os\":\"linux\"}");
        assertThat(at(pod, "tolerations", 0, "value").getAsString()).isEqualTo("tools");
        assertThat(at(pod, "affinity", "nodeAffinity").toString()).contains("nvme");
        assertThat(at(pod, "topologySpreadConstraints").getAsJsonArray()).hasSize(1);
        assertThat(at(pod, "topologySpreadConstraints", 0, "topologyKey").getAsString())
                .isEqualTo("topology.kubernetes.io/zone");
        assertThat(at(pod, "topologySpreadConstraints", 0, "labelSelector", "matchLabels"))
                .isEqualTo(at(template, "metadata", "labels"));
        assertThat(at(template, "metadata", "annotations", "cluster-autoscaler.kubernetes.io/safe-to-evict")
                        .getAsString())
                .isEqualTo("true");
    }

    @Test
    void ingressAndMonitorFindTheServiceOfTheirRelease() throws Exception {
        Map<String, JsonElement> objects = exampleOfTheDocument("other");
        JsonElement service = objects.get("Service");
        JsonElement ingress = at(objects.get("Ingress"), "spec");
        JsonElement monitor = at(objects.get("ServiceMonitor"), "spec");

        JsonElement backend = at(ingress, "rules", 0, "http", "paths", 0, "backend", "service");
        assertThat(at(backend, "name")).isEqualTo(at(service, "metadata", "name"));
        assertThat(at(backend, "port", "name")).isEqualTo(at(service, "spec", "ports", 0, "name"));
        assertThat(at(ingress, "tls", 0, "hosts", 0)).isEqualTo(at(ingress, "rules", 0, "host"));
        assertThat(at(monitor, "selector", "matchLabels")).isEqualTo(at(service, "metadata", "labels"));
        JsonElement container = at(objects.get("Deployment"), "spec", "template", "spec", "containers", 0);
        assertThat(at(monitor, "endpoints", 0, "port").getAsString()).isEqualTo("metrics");
        assertThat(byName(at(service, "spec", "ports"), "metrics", "targetPort"))
                .isEqualTo("\"metrics\"");
        assertThat(byName(at(container, "ports"), "metrics", "containerPort"))
                .isEqualTo(byName(at(service, "spec", "ports"), "metrics", "port"));
        assertThat(byName(at(container, "env"), "MANAGEMENT_SERVER_PORT", "value"))
                .isEqualTo("\"9090\"");
        assertThat(at(monitor, "endpoints", 0, "authorization", "credentials"))
                .hasToString("{\"name\":\"offsetd-metrics\",\"key\":\"token\"}");
        // The alerts of docs/monitoring expect this job, which is the value of the service's label.
        String job = at(monitor, "jobLabel").getAsString();
        assertThat(at(service, "metadata", "labels", job).getAsString()).isEqualTo("offsetd");
    }

    /** Runs the commands of the document, under the name of a release. */
    private Map<String, JsonElement> exampleOfTheDocument(String release) throws Exception {
        Path programs = Files.createDirectories(folder.resolve("bin"));
        Files.writeString(programs.resolve("helm"), """
                #!/bin/sh
                exec '%s' "$@"
                """.formatted(String.join("' '", helmCommand())));
        CommandLine.executable(programs.resolve("helm"));
        Path readme = Path.of("..", "packaging", "README.md");
        DocumentWalk walk = new DocumentWalk(folder)
                .with("PATH", programs + File.pathSeparator + System.getenv("PATH"))
                .replacing("install offsetd packaging/helm", "template " + release + " '" + CHART + "'");
        DocumentWalk.Step step = DocumentWalk.steps(readme).stream()
                .filter(block -> block.commands().contains("helm install"))
                .findFirst()
                .orElseThrow();
        Map<String, JsonElement> objects = objects(walk.run(step));
        walk.assertAllUsed();
        return objects;
    }

    private Run helm(String... arguments) throws Exception {
        List<String> command = helmCommand();
        command.addAll(List.of(arguments));
        return CommandLine.run(folder, Map.of(), command.toArray(String[]::new));
    }

    /** Returns the command of {@link HelmProgram}, which is another process because Helm brings the runtime of Go. */
    private static List<String> helmCommand() {
        List<String> classPath = Stream.of(
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .split(File.pathSeparator, -1))
                .filter(entry -> entry.matches(".*(/helm-java/|/jna/|/test-classes).*"))
                .toList();
        if (classPath.stream().noneMatch(entry -> entry.contains("/helm-java/linux-"))) {
            throw RequiredTool.unavailable("Helm's library does not exist for " + System.getProperty("os.arch"));
        }
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(File.pathSeparator, classPath),
                HelmProgram.class.getName()));
    }

    private static String byName(JsonElement list, String name, String member) {
        for (JsonElement element : list.getAsJsonArray()) {
            if (at(element, "name").getAsString().equals(name)) {
                return at(element, member).toString();
            }
        }
        throw new AssertionError("no " + name + " in " + list);
    }
}
