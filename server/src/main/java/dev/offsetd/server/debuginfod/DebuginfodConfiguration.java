package dev.offsetd.server.debuginfod;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DebuginfodProperties.class)
class DebuginfodConfiguration {}
