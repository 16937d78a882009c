package dev.offsetd.query.export;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import java.util.ArrayList;
import java.util.List;

/** Types, members and items that an export lacks: counted, and the first of them listed. Not thread-safe. */
public final class Omissions {

    /** Most omissions that are listed. */
    static final int MAX_LISTED = 10_000;

    private final List<Omission> listed = new ArrayList<>();
    private int count;

    /**
     * A type, member or item that is not in the export.
     *
     * @param name of a type ({@code struct point}), of a member with its type ({@code struct point.x}), or an item
     */
    public record Omission(String name, OmissionReason reason) {}

    /** Creates an empty list. */
    public Omissions() {}

    /** Adds a type, member or item. */
    public void add(String name, OmissionReason reason) {
        count++;
        if (listed.size() < MAX_LISTED) {
            listed.add(new Omission(name, reason));
        }
    }

    /** Adds a member; one without a name by the spelling of its type. */
    void add(AggregateShape type, Member member, OmissionReason reason) {
        add(type.spelling() + "." + (member.name() == null ? member.type().spelling() : member.name()), reason);
    }

    void addAll(Omissions others) {
        others.listed.forEach(omission -> add(omission.name, omission.reason));
        count += others.count - others.listed.size();
    }

    public int count() {
        return count;
    }

    /** Returns the first omissions, in the order in which they were found. */
    public List<Omission> listed() {
        return List.copyOf(listed);
    }
}
