package dev.offsetd.query.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A struct of which the program describes some members, as CPython does, after it was stored. */
class PartialTypesTests {

    private static Member member(@Nullable String name, MemberLocation location) {
        IncompleteShape type = new IncompleteShape("unknown", IncompleteShape.Reason.NOT_IN_BINARY);
        return new Member(Member.Role.FIELD, name, location, Member.NOT_A_BIT_FIELD, 0, type);
    }

    private static final AggregateShape THREAD = new AggregateShape(
            TypeKind.STRUCT,
            "_ts",
            "struct _ts",
            96,
            0,
            List.of(
                    member("next", new MemberLocation.Fixed(64)),
                    member("threads.head", new MemberLocation.Fixed(128)),
                    member(null, new MemberLocation.Computed(IncompleteShape.Reason.NOT_IN_BINARY.text()))));

    @ParameterizedTest
    @CsvSource({
        "_ts, FOUND",
        "_ts.next, FOUND",
        "_ts.threads.head, FOUND",
        "_ts.dict, NOT_IN_BINARY",
        "_ts.next.prev, NOT_IN_BINARY",
        "_ts.threads, NOT_IN_BINARY",
        "PyFrameObject, NOT_IN_BINARY"
    })
    void whatTheProgramLeavesOutIsNotInTheBinary(String item, ItemStatus status) throws Exception {
        Definition definition = new Definition(
                TypeKind.STRUCT,
                "_ts",
                "_ts",
                null,
                "",
                new Language("C", Language.Family.C),
                ".PyRuntime",
                24,
                THREAD);
        StoredCatalogue stored =
                StoredCatalogue.of(CatalogueWriter.encode(TypeCatalogue.ofProgram(List.of(definition), List.of())));

        assertThat(ItemResolver.resolve(ItemParser.parse(item), stored, null).status())
                .isEqualTo(status);
    }
}
