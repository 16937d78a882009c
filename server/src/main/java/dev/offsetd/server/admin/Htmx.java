package dev.offsetd.server.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.support.RequestContextUtils;

/** Answers to requests of htmx, which replaces a part of the page that the browser shows. */
public final class Htmx {

    /** The model attribute that the layout shows as a notice. */
    private static final String NOTICE = "notice";

    private Htmx() {}

    /** Returns whether htmx asks for a part of a page. It restores its history with a whole page. */
    public static boolean asked(HttpServletRequest request) {
        return request.getHeader("HX-Request") != null && request.getHeader("HX-History-Restore-Request") == null;
    }

    /** Returns whether htmx replaces the element with this id. */
    public static boolean isFor(HttpServletRequest request, String id) {
        return id.equals(request.getHeader("HX-Target"));
    }

    /** Reloads the page in place of inserting the response. */
    public static void reload(HttpServletResponse response) {
        response.setHeader("HX-Refresh", "true");
    }

    /** Returns the view of a page, or of its fragment if htmx asks for a part. */
    public static String view(HttpServletRequest request, String page, String fragment) {
        return asked(request) ? page + " :: " + fragment : page;
    }

    /** Ends a form that was accepted: redirects to a page that shows the notice. */
    public static ModelAndView done(String path, String notice) {
        return new ModelAndView((_, request, response) -> {
            RequestContextUtils.getOutputFlashMap(request).put(NOTICE, notice);
            RequestContextUtils.saveOutputFlashMap(path, request, response);
            if (asked(request)) {
                // htmx would follow a redirect itself and swap a whole page into a part of this one.
                response.setStatus(HttpStatus.NO_CONTENT.value());
                response.setHeader("HX-Redirect", path);
            } else {
                SeeOther.send(response, path);
            }
        });
    }
}
