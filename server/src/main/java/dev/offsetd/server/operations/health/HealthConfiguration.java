package dev.offsetd.server.operations.health;

import dev.offsetd.server.web.Wait;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.AbstractProtocol;
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
            tomcat.addEngineValves(new HealthValve(readiness), new OverloadValve());
        };
    }

    /** Marks the requests that arrive while more than half of the connections are in use, so that they do not wait for long. */
    private static final class OverloadValve extends ValveBase {

        OverloadValve() {
            super(true);
        }

        @Override
        public void invoke(Request request, Response response) throws IOException, ServletException {
            if (request.getConnector().getProtocolHandler() instanceof AbstractProtocol<?> connections
                    && connections.getConnectionCount() > connections.getMaxConnections() / 2) {
                request.setAttribute(Wait.CROWDED, true);
            }
            getNext().invoke(request, response);
        }
    }
}
