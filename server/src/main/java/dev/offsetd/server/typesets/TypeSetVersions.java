package dev.offsetd.server.typesets;

import java.util.List;
import org.springframework.data.domain.Limit;
import org.springframework.data.repository.Repository;

/** The table of versions of sets; rows can only be added to it. */
interface TypeSetVersions extends Repository<TypeSetVersion, Long> {

    TypeSetVersion save(TypeSetVersion version);

    List<TypeSetVersion> findByNameOrderByVersionDesc(String name, Limit limit);
}
