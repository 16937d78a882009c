package dev.offsetd.server.web;

import java.util.List;
import org.apache.catalina.core.StandardHost;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.ContentNegotiationConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration(proxyBeanMethods = false)
class WebConfiguration implements WebMvcConfigurer {

    @Override
    public void configureContentNegotiation(ContentNegotiationConfigurer negotiation) {
        negotiation.strategies(List.of(new JsonForBrowsers()));
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsFromTomcat() {
        return tomcat -> {
            tomcat.addEngineValves(new RequestIdValve());
            tomcat.addContextCustomizers(context -> {
                if (context.getParent() instanceof StandardHost host) {
                    host.setErrorReportValveClass(ProblemReportValve.class.getName());
                }
            });
        };
    }
}
