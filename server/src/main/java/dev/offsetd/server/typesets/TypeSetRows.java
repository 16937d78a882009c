package dev.offsetd.server.typesets;

import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/** Table of the names and current versions of sets. */
interface TypeSetRows extends Repository<TypeSetRow, String> {

    /** Inserts the row of a new set. Concurrent inserts of one name run one after the other. */
    @Modifying
    @Query(value = "insert into type_sets (name, version) values (:name, 0) on conflict do nothing", nativeQuery = true)
    void add(String name);

    /** Returns the row, locked until the transaction ends. */
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    @Query("select s from TypeSetRow s where s.name = :name")
    TypeSetRow locked(String name);

    /** Returns the current version of a set. */
    @Query("select v from TypeSetRow s, TypeSetVersion v"
            + " where s.name = :name and v.name = s.name and v.version = s.version")
    Optional<TypeSetVersion> current(String name);

    /**
     * Returns the current versions of the sets whose names sort after this one, sorted by name.
     *
     * @param retired whether retired sets are among them
     */
    @Query("select v from TypeSetRow s, TypeSetVersion v where s.name > :name and v.name = s.name"
            + " and v.version = s.version and (:retired = true or s.retiredAt is null) order by s.name")
    List<TypeSetVersion> after(String name, boolean retired, Limit limit);

    /** Returns the first names of sets in use, sorted. */
    @Query("select s.name from TypeSetRow s where s.retiredAt is null order by s.name")
    List<String> names(Limit limit);

    /** Returns the names of the retired sets. */
    @Query("select s.name from TypeSetRow s where s.retiredAt is not null")
    Set<String> retired();
}
