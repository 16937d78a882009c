package dev.offsetd.server.typesets;

import java.util.List;
import org.springframework.data.domain.Limit;
import org.springframework.data.repository.Repository;

/** Append-only table of the versions of sets. */
interface TypeSetVersions extends Repository<TypeSetVersion, Long> {

    TypeSetVersion save(TypeSetVersion version);

    List<TypeSetVersion> findByNameOrderByVersionDesc(String name, Limit limit);
}
