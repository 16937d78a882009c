package dev.offsetd.server.admin.shell;

import java.time.Duration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.resource.ResourceUrlEncodingFilter;
import org.springframework.web.servlet.resource.VersionResourceResolver;
import org.webjars.WebJarVersionLocator;

/**
 * The files that pages are shown with. Pages name each by a path with its content's hash, so a browser may keep it for good.
 */
@Configuration(proxyBeanMethods = false)
class AssetsConfiguration implements WebMvcConfigurer {

    private static final Duration FOR_GOOD = Duration.ofDays(365);

    /** Before the pages: what is no page is answered by one that says so. */
    private static final int BEFORE_CONTROLLERS = -1;

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.setOrder(BEFORE_CONTROLLERS);
        registry.addResourceHandler("/admin/assets/**")
                .addResourceLocations("classpath:/static/admin/", htmx())
                .setCacheControl(CacheControl.maxAge(FOR_GOOD).cachePublic().immutable())
                .resourceChain(true)
                .addResolver(new VersionResourceResolver().addContentVersionStrategy("/**"));
    }

    /** The folder of htmx in its jar, whose name has the version. */
    private static String htmx() {
        String script = new WebJarVersionLocator().fullPath("htmx.org", "dist/htmx.min.js");
        if (script == null) {
            throw new IllegalStateException("htmx is not on the class path");
        }
        return "classpath:/" + script.substring(0, script.lastIndexOf('/') + 1);
    }

    /** Has templates name the files by those paths. */
    @Bean
    FilterRegistrationBean<ResourceUrlEncodingFilter> assetPaths() {
        FilterRegistrationBean<ResourceUrlEncodingFilter> filter =
                new FilterRegistrationBean<>(new ResourceUrlEncodingFilter());
        filter.addUrlPatterns("/admin", "/admin/*");
        return filter;
    }
}
