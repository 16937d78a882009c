package dev.offsetd.server.admin.typesets;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSyntaxException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.Precondition;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.validation.BindingResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;
import tools.jackson.databind.json.JsonMapper;

/** Creates and edits type sets. */
@Controller
class TypeSetForms {

    private static final String PAGE = "admin/type-sets/form";

    /** A hyphen is not a valid name of a set, so these paths are free. */
    private static final String DRAFT = TypeSetPages.PATH + "/-";

    private static final String EDIT = TypeSetPages.PATH + "/{name}/edit";

    /** The limit of the API. */
    private static final int MAX_BYTES = 256 * 1024;

    private static final String EXAMPLE = """
            {
              "title": "Purpose of the set",
              "items": [
                {"item": "task_struct.pid"},
                {"item": "task_struct.tgid", "need": "optional"},
                {"group": "state", "oneOf": [["task_struct.__state"], ["task_struct.state"]]}
              ]
            }
            """;

    private final TypeSets sets;
    private final JsonMapper json;

    TypeSetForms(TypeSets sets, JsonMapper json) {
        this.sets = sets;
        this.json = json;
    }

    /**
     * The form.
     *
     * @param etag validator of the version that the change began with; empty for a new set
     */
    record TypeSetForm(String name, String etag, String document) {

        TypeSetForm(@Nullable String name, @Nullable String etag, @Nullable String document) {
            this.name = Objects.toString(name, "").strip();
            this.etag = Objects.toString(etag, "");
            this.document = Objects.toString(document, "");
        }

        byte[] bytes() {
            return document.getBytes(StandardCharsets.UTF_8);
        }
    }

    @GetMapping(DRAFT + "/new")
    String begin(Model model) {
        return show(model, new TypeSetForm("", "", EXAMPLE), true);
    }

    @GetMapping(EDIT)
    String edit(@PathVariable String name, Model model) {
        TypeSets.CurrentSet known = sets.require(name);
        sets.requireOwn(name);
        // The server sets the version and the name.
        String draft = json.writeValueAsString(
                json.readTree(known.document().text()).asObject().without(List.of("name", "retired", "version")));
        return show(
                model,
                new TypeSetForm(name, known.document().etag(Representation.JSON), TypeSetPages.indented(json, draft)),
                false);
    }

    private static String show(Model model, TypeSetForm form, boolean isNew) {
        model.addAttribute("form", form);
        model.addAttribute("isNew", isNew);
        return PAGE;
    }

    /** Checks the document while the user types. */
    @PostMapping(DRAFT + "/check")
    String check(@ModelAttribute("form") TypeSetForm form, Model model) {
        model.addAttribute("checked", problemOf(form));
        return PAGE + " :: checked";
    }

    @PostMapping(DRAFT + "/new")
    ModelAndView create(
            @ModelAttribute("form") TypeSetForm form, BindingResult errors, HttpServletRequest request, Model model) {
        String name = HostileText.quote(form.name());
        if (!Pattern.matches(TypeSetParser.NAME, form.name())) {
            errors.rejectValue(
                    "name",
                    "malformed",
                    name
                            + "; expected a lower-case letter, then up to 63 lower-case letters, digits, hyphens and underscores");
        } else if (sets.find(form.name()).isPresent()) {
            errors.rejectValue("name", "exists", name + " exists; expected another name");
        }
        model.addAttribute("isNew", true);
        return put(form, errors, Precondition.isNew(), Actor.of(request));
    }

    @PostMapping(EDIT)
    ModelAndView change(
            @ModelAttribute("form") TypeSetForm form, BindingResult errors, HttpServletRequest request, Model model) {
        sets.require(form.name());
        sets.requireOwn(form.name());
        model.addAttribute("isNew", false);
        return put(form, errors, Precondition.unchangedSince(form.etag()), Actor.of(request));
    }

    private ModelAndView put(TypeSetForm form, BindingResult errors, Precondition precondition, Actor actor) {
        String problem = problemOf(form);
        if (problem != null) {
            errors.rejectValue("document", "malformed", problem);
        }
        if (errors.hasErrors()) {
            return new ModelAndView(PAGE, HttpStatus.UNPROCESSABLE_CONTENT);
        }
        TypeSets.StoredSet stored;
        try {
            stored = sets.put(TypeSetParser.parseNew(form.name(), form.bytes()), precondition, actor);
        } catch (ProblemException e) {
            if (e.problem().status() != HttpStatus.PRECONDITION_FAILED) {
                throw e;
            }
            return new ModelAndView(PAGE, HttpStatus.PRECONDITION_FAILED)
                    .addObject("latest", sets.require(form.name()).document().etag(Representation.JSON));
        }
        return Htmx.done(
                TypeSetPages.PATH + "/" + form.name(),
                "Saved @" + form.name() + " as version "
                        + stored.document().set().version() + ". All servers use it within a second.");
    }

    /** Returns the error in the document with its line and column; null if it is valid. */
    private static @Nullable String problemOf(TypeSetForm form) {
        byte[] bytes = form.bytes();
        if (bytes.length > MAX_BYTES) {
            return "the text has " + bytes.length + " bytes; expected at most " + MAX_BYTES;
        }
        try {
            TypeSetParser.parseNew(form.name(), bytes);
            return null;
        } catch (TypeSetSyntaxException e) {
            String at = "line " + e.line() + ", column " + e.column();
            String message = String.valueOf(e.getMessage());
            return e.line() == 0 || message.startsWith(at) ? message : at + ": " + message;
        }
    }
}
