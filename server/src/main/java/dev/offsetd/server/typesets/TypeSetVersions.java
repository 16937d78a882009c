package dev.offsetd.server.typesets;

import org.springframework.data.repository.Repository;

/** The table of versions of sets; rows can only be added to it. */
interface TypeSetVersions extends Repository<TypeSetVersion, Long> {

    TypeSetVersion save(TypeSetVersion version);
}
