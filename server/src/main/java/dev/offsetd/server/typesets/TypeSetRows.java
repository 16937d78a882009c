package dev.offsetd.server.typesets;

import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** The table of sets, and what their versions say. */
interface TypeSetRows extends Repository<TypeSetRow, String> {

    /** Makes the row of a set that has none; two who do so at the same time come one after the other. */
    @Modifying
    @Query(value = "insert into type_sets (name, version) values (:name, 0) on conflict do nothing", nativeQuery = true)
    void add(String name);

    /** The row, which nobody else changes until the transaction has ended. */
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select s from TypeSetRow s where s.name = :name")
    TypeSetRow locked(String name);

    /** What a set says now. */
    @Query("select v from TypeSetRow s, TypeSetVersion v"
            + " where s.name = :name and v.name = s.name and v.version = s.version")
    Optional<TypeSetVersion> current(String name);

    /** What the sets say now whose names come behind this one, by name. */
    @Query("select v from TypeSetRow s, TypeSetVersion v"
            + " where s.name > :name and v.name = s.name and v.version = s.version order by s.name")
    List<TypeSetVersion> after(String name, Limit limit);

    /** The names of the first sets, by name. */
    @Query("select s.name from TypeSetRow s order by s.name")
    List<String> names(Limit limit);
}
