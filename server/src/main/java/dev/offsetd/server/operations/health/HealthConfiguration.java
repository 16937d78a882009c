package dev.offsetd.server.operations.health;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class HealthConfiguration {

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> healthChecks(Readiness readiness) {
        return tomcat -> {
            tomcat.setProtocol(WatchedHttpProtocol.class.getName());
            tomcat.addEngineValves(new HealthValve(readiness), new CrowdValve());
        };
    }
}
