package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The plain manifests against the schemas of Kubernetes, and the chart against the plain manifests. */
class KubernetesIntegrationTests {

    private static final Path MANIFESTS = Path.of("..", "packaging", "kubernetes", "offsetd.yaml");
    private static final Path CHART = Path.of("..", "packaging", "helm");
    private static final List<String> TEMPLATES =
            List.of("service.yaml", "poddisruptionbudget.yaml", "deployment.yaml");
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
    private static void validate(Map<String, JsonElement> objects) throws IOException {
        assertThat(objects).containsOnlyKeys("Service", "PodDisruptionBudget", "Deployment");
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

        validate(objects(text));

        assertThatThrownBy(() -> validate(objects(text.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem"))))
                .hasMessageContaining("readOnlyRootFileSystem");
        assertThatThrownBy(() -> validate(objects(text.replace("          image: \"offsetd:0.1.0\"\n", "")
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

    @Test
    void chartRendersTheSameObjects() throws Exception {
        Path go = RequiredTool.require("go").path();
        Map<String, Object> values = yaml().load(Files.readString(CHART.resolve("values.yaml")));
        Path program = folder.resolve("render");
        Run built = CommandLine.run(
                folder,
                Map.of("GOFLAGS", "-mod=mod", "GO111MODULE", "off"),
                go.toString(),
                "build",
                "-o",
                program.toString(),
                Path.of("src/test/resources/helm/render.go").toAbsolutePath().toString());
        assertThat(built.exitCode()).as(built.err()).isZero();

        assertThat(objects(render(program, values, "offsetd"))).isEqualTo(objects(Files.readString(MANIFESTS)));

        values.put("replicas", 3);
        values.put("env", List.of(Map.of("name", "OFFSETD_OFFLINE", "value", "true")));
        Map<String, JsonElement> other = objects(render(program, values, "other"));
        validate(other);
        assertThat(at(other.get("Deployment"), "spec", "replicas").getAsInt()).isEqualTo(3);
        assertThat(at(other.get("Deployment"), "metadata", "name").getAsString())
                .isEqualTo("other");
        assertThat(at(other.get("Deployment"), "spec", "template", "spec", "containers", 0, "env", 4, "name")
                        .getAsString())
                .isEqualTo("OFFSETD_OFFLINE");
    }

    private String render(Path program, Map<String, Object> values, String release) throws Exception {
        Path file = Files.writeString(folder.resolve("values.json"), JSON.toJson(values));
        List<String> command = new ArrayList<>(List.of(program.toString(), file.toString(), release));
        TEMPLATES.forEach(name -> command.add(
                CHART.resolve("templates").resolve(name).toAbsolutePath().toString()));
        Run run = CommandLine.run(folder, Map.of(), command.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }
}
