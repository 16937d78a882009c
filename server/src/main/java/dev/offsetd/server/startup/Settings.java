package dev.offsetd.server.startup;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Suggestions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Settings whose names begin with {@code offsetd}, from the metadata that Spring Boot's annotation processor writes. A
 * misspelled setting in a file or on the command line stops the start. Variables and options of the JVM may belong to other
 * programs, so those that are unknown only cause a warning.
 */
final class Settings {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("offsetd");
    private static final String VARIABLE_PREFIX = "OFFSETD_";
    private static final Pattern LIST = Pattern.compile("java\\.util\\.List<(.*)>");
    private static final Pattern WITHOUT_UNIT_OR_SPACED = Pattern.compile("(?s)[+-]?0*[1-9][0-9]*|.*\\s.*");
    private static final Pattern INDEX = Pattern.compile("\\[[0-9]+]");
    private static final Pattern INDEX_OF_VARIABLE = Pattern.compile("_[0-9]+(_|$)");

    /** Variables of the launcher, the commands, the systemd unit and docker-compose.yml. */
    private static final Set<String> OTHER_VARIABLES = Set.of(
            "OFFSETD_ARGUMENTS",
            "OFFSETD_DB_PASSWORD",
            "OFFSETD_DEBUG_FILES",
            "OFFSETD_JAVA_OPTS",
            "OFFSETD_JDKS",
            "OFFSETD_TOKEN",
            "OFFSETD_URL");

    /** Variables that Kubernetes sets in each container for a service whose name begins with {@code offsetd}. */
    private static final Pattern SERVICE_LINK = Pattern.compile(
            "OFFSETD_(.+_)?" + "(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

    /** Settings of Spring Boot in docs/configuration.md, of which it does not name a bad value. */
    private static final Map<String, Class<?>> OF_SPRING_BOOT = Map.of(
            "management.server.port", Integer.class,
            "management.server.address", InetAddress.class,
            "management.tracing.sampling.probability", Double.class);

    /** Settings of Spring Boot whose bad values fail later, at each export. */
    private static final List<String> COLLECTORS =
            List.of("management.opentelemetry.tracing.export.otlp.endpoint", "management.otlp.metrics.export.url");

    /** Refuses white space inside of numbers, sizes and times: Spring removes it, so a size of two lines is another size. */
    private static final BindHandler WITHOUT_SPACES = new BindHandler() {
        @Override
        public Object onSuccess(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
            ConfigurationProperty property = context.getConfigurationProperty();
            String text = property == null ? "" : property.getValue().toString();
            for (String value : text.split(",", -1)) {
                if (value.strip().chars().anyMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c))) {
                    throw new ConversionFailedException(
                            TypeDescriptor.valueOf(String.class),
                            new TypeDescriptor(target.getType(), null, null),
                            text,
                            new IllegalArgumentException("white space in a value"));
                }
            }
            return result;
        }
    };

    /** By name in its uniform spelling. */
    private final Map<String, Setting> byName = new TreeMap<>();

    /** By variable: with all words separated, and as Spring Boot derives it. */
    private final Map<String, Setting> variables = new TreeMap<>();

    private final Map<String, Setting> byVariable = new TreeMap<>();

    /** @param retired what to use instead; null if the setting has an effect */
    private record Setting(
            String name, String type, @Nullable String retired) {}

    private Settings(JsonNode metadata) {
        for (JsonNode property : metadata.path("properties")) {
            String name = property.path("name").asString();
            if (name.startsWith(ROOT + ".")) {
                String retired =
                        property.path("deprecation").path("replacement").asString("");
                add(new Setting(name, property.path("type").asString(), retired.isEmpty() ? null : retired));
            }
        }
    }

    static Settings ofServer() {
        try (InputStream metadata = Settings.class.getClassLoader().getResourceAsStream(METADATA)) {
            if (metadata == null) {
                throw new IllegalStateException("the program lacks " + METADATA);
            }
            return new Settings(JsonMapper.shared().readTree(metadata));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(Setting setting) {
        byName.put(uniform(setting.name()), setting);
        String variable = setting.name().replace('.', '_').replace('[', '_').replace("]", "");
        byVariable.put(variable.replace("-", "").toUpperCase(Locale.ROOT), setting);
        variables.put(variable.replace("-", "_").toUpperCase(Locale.ROOT), setting);
        Matcher list = LIST.matcher(setting.type());
        if (list.matches()) {
            String element = setting.name() + "[0]";
            add(new Setting(element, list.group(1), setting.retired()));
            for (RecordComponent component : components(list.group(1))) {
                String name = element + "." + DataObjectPropertyName.toDashedForm(component.getName());
                add(new Setting(name, component.getGenericType().getTypeName(), setting.retired()));
            }
        }
    }

    private static RecordComponent[] components(String type) {
        RecordComponent[] components =
                type.startsWith("dev.offsetd.") ? typeOf(type).getRecordComponents() : null;
        return components == null ? new RecordComponent[0] : components;
    }

    private static Class<?> typeOf(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("the metadata of settings names a type that is missing: " + name, e);
        }
    }

    /** Returns the spelling under which Spring Boot compares names, with the first index in place of any. */
    private static String uniform(String name) {
        return INDEX.matcher(name)
                .replaceAll("[0]")
                .replace("-", "")
                .replace("_", "")
                .toLowerCase(Locale.ROOT);
    }

    /**
     * Checks the names and values of all settings below {@code offsetd}.
     *
     * @return warnings
     * @throws StartException if the server must not start with them
     */
    List<String> check(Environment environment) {
        List<String> unknown = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            Object underlying = source.getUnderlyingSource();
            if (underlying instanceof SystemEnvironmentPropertySource variables) {
                for (String variable : variables.getPropertyNames()) {
                    checkVariable(variable, String.valueOf(variables.getProperty(variable)), warnings);
                }
            } else if (source instanceof IterableConfigurationPropertySource properties) {
                List<String> findings = isOfJvm(underlying) ? warnings : unknown;
                properties.stream().filter(ROOT::isAncestorOf).sorted().forEach(name -> {
                    Setting setting = byName.get(uniform(name.toString()));
                    ConfigurationProperty property = source.getConfigurationProperty(name);
                    String place = Places.of(property);
                    if (setting == null) {
                        if (!isEmptyGroup(source, name)) {
                            findings.add(unknown(
                                            name.toString(),
                                            byName.values().stream()
                                                    .map(Setting::name)
                                                    .toList())
                                    + place);
                        }
                    } else if (setting.retired() != null) {
                        warnings.add(retired(name.toString(), setting.retired()) + place);
                    } else if (property != null) {
                        requireUnit(
                                setting, name.toString(), property.getValue().toString(), place);
                    }
                });
            }
        }
        if (!unknown.isEmpty()) {
            throw new StartException(String.join("; ", unknown));
        }
        checkValues(environment);
        return warnings;
    }

    private static boolean isOfJvm(@Nullable Object source) {
        return source instanceof PropertySource<?> properties
                && properties.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    }

    /** Returns whether this is a group of settings without any, such as {@code upstreams:} in a file. */
    private boolean isEmptyGroup(ConfigurationPropertySource source, ConfigurationPropertyName name) {
        var property = source.getConfigurationProperty(name);
        return property != null
                && property.getValue().toString().isEmpty()
                && byName.keySet().stream().anyMatch(known -> known.startsWith(uniform(name.toString()) + "."));
    }

    private void checkVariable(String variable, String value, List<String> warnings) {
        String name = variable.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
        if (!name.startsWith(VARIABLE_PREFIX) || OTHER_VARIABLES.contains(name)) {
            return;
        }
        String first = INDEX_OF_VARIABLE.matcher(name).replaceAll("_0$1");
        Setting setting = variables.containsKey(first) ? variables.get(first) : byVariable.get(first);
        if (setting != null && setting.retired() != null) {
            warnings.add(retired(variable, setting.retired()) + " (environment)");
        } else if (setting == null && !isServiceLink(name, value)) {
            warnings.add(unknown(variable, List.copyOf(variables.keySet())) + " (environment)");
        } else if (setting != null) {
            requireUnit(setting, setting.name(), value, " (environment variable " + variable + ")");
        }
    }

    /** Refuses times and sizes that Spring reads as others: without a unit, or with white space between their digits. */
    private static void requireUnit(Setting setting, String name, String value, String place) {
        String type = LIST.matcher(setting.type()).replaceFirst("$1");
        boolean isMeasured = type.equals(Duration.class.getName()) || type.equals(DataSize.class.getName());
        if (isMeasured
                && Stream.of(value.split(",", -1)).anyMatch(one -> WITHOUT_UNIT_OR_SPACED.matches(one.strip()))) {
            throw new StartException(name + " is " + HostileText.quote(value) + "; expected "
                    + (type.equals(setting.type()) ? "" : "a list with commas, each ")
                    + StartFailure.expected(typeOf(type)) + place);
        }
    }

    /** Returns whether Kubernetes has set this variable. People take the shortest of them for the port of the server. */
    private static boolean isServiceLink(String name, String value) {
        return SERVICE_LINK.matcher(name).matches() && (!name.equals("OFFSETD_PORT") || value.contains("://"));
    }

    private static String unknown(String name, List<String> known) {
        String suggestion = Suggestions.sentence(Suggestions.similar(name, known));
        return name + " is not a setting; " + (suggestion.isEmpty() ? "docs/configuration.md lists them" : suggestion);
    }

    private static String retired(String name, String successor) {
        return name + " has no effect any more; use " + successor;
    }

    /** Converts every value that is set, because a bean that gets one by itself would not know the name of the setting. */
    private void checkValues(Environment environment) {
        Binder binder = Binder.get(environment);
        for (Setting setting : byName.values()) {
            Matcher list = LIST.matcher(setting.type());
            boolean isList = list.matches();
            String type = isList ? list.group(1) : setting.type();
            boolean isValue = type.startsWith("java.") || type.startsWith("org.springframework.");
            if (isValue && setting.retired() == null && !setting.name().contains("[")) {
                Bindable<?> value = isList ? Bindable.listOf(typeOf(type)) : Bindable.of(typeOf(type));
                boolean mayHaveSpaces = type.equals(String.class.getName()) || type.equals(Path.class.getName());
                binder.bind(setting.name(), value, mayHaveSpaces ? BindHandler.DEFAULT : WITHOUT_SPACES);
            }
        }
        OF_SPRING_BOOT.forEach((name, type) -> binder.bind(name, Bindable.of(type), WITHOUT_SPACES));
        for (String name : COLLECTORS) {
            String url = environment.getProperty(name, "");
            if (!url.isEmpty() && !url.startsWith("http://") && !url.startsWith("https://")) {
                throw new StartException(name + " is " + HostileText.quote(url)
                        + "; expected a URL such as http://collector:4318/v1/traces");
            }
        }
    }
}
