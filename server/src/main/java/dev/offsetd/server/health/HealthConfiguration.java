package dev.offsetd.server.health;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WatchProperties.class)
class HealthConfiguration {

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> healthChecks(Readiness readiness) {
        return tomcat -> {
            tomcat.setProtocol(WatchedHttpProtocol.class.getName());
            tomcat.addEngineValves(new HealthValve(readiness));
        };
    }
}
