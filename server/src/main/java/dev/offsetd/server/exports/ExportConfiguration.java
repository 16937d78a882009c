package dev.offsetd.server.exports;

import java.io.IOException;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ExportProperties.class)
class ExportConfiguration {

    @Bean
    ExportFiles exportFiles(ExportProperties properties) throws IOException {
        return ExportFiles.open(
                properties.folder(), properties.exports().maxSize().toBytes());
    }
}
