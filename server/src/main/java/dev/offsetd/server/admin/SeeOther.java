package dev.offsetd.server.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.View;

/** Redirect after a form (303, RFC 9110 section 15.4.4), so that reloading the page does not submit the form again. */
public final class SeeOther {

    private SeeOther() {}

    /** Redirects from a filter; {@code path} as for {@link #to}. */
    public static void send(HttpServletResponse response, String path) {
        response.setStatus(HttpStatus.SEE_OTHER.value());
        response.setHeader(HttpHeaders.LOCATION, path);
    }

    /**
     * Returns a view that redirects.
     *
     * @param path escaped path of a page; input of a client only as {@link LocalPath}
     */
    public static String to(HttpServletRequest request, String path) {
        request.setAttribute(View.RESPONSE_STATUS_ATTRIBUTE, HttpStatus.SEE_OTHER);
        return "redirect:" + path;
    }
}
