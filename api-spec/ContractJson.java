import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Writes the contract as JSON; the build runs it. Generators of OpenAPI would lose what their model does not have. */
final class ContractJson {

    private ContractJson() {}

    public static void main(String[] files) throws Exception {
        Map<String, Object> contract =
                new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(Path.of(files[0])));
        Path json = Path.of(files[1]);
        Files.createDirectories(json.getParent());
        Files.write(json, JsonMapper.shared().writeValueAsBytes(contract));
    }
}
