"""Calls a server with the client that is generated from openapi.yaml. Arguments: URL and build-id."""

import sys

from offsetd_client import (
    AccessApi,
    ApiClient,
    BatchQueriesInner,
    BatchQueriesInnerTypes,
    BuildsApi,
    Configuration,
    OffsetsApi,
    PostOffsetsBatchRequest,
)
from offsetd_client.exceptions import NotFoundException

url, build_id = sys.argv[1:]
with ApiClient(Configuration(host=url)) as client:
    print(AccessApi(client).get_caller().name)
    answer = OffsetsApi(client).get_offsets(types="line,point.y,nothing", build_id=build_id)
    line = answer.offsets["line"].actual_instance
    print(line.kind.value, line.size, line.fields["to"].offset)
    print(answer.offsets["point.y"].actual_instance.offset)
    print(answer.offsets["nothing"].actual_instance.status.value, answer.complete)
    query = BatchQueriesInner(build_id=build_id, types=BatchQueriesInnerTypes(["point"]), view="flat")
    batch = OffsetsApi(client).post_offsets_batch(PostOffsetsBatchRequest([query]))
    print(batch.answers[0].answer.offsets["point.y"].actual_instance)
    print(BuildsApi(client).get_build(build_id=build_id).state)
    try:
        OffsetsApi(client).get_offsets(types="point", build_id="ff" * 20)
    except NotFoundException as e:
        print(e.data.code, e.data.retry_after > 0)
