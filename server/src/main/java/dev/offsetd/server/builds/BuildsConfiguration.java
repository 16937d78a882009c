package dev.offsetd.server.builds;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({LeaseProperties.class, UnknownBuildProperties.class})
class BuildsConfiguration {}
