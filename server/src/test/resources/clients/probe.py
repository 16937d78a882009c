"""probe.py SERVER CACHE WAIT TABLE QUERY...: prints the answer to each query. Every language has the same program.

A query is BUILD-ID;ITEMS;OPTIONAL;NAME-MAP;PROGRAM;SHOWN, with & between items. Several queries are a batch. The table "-" is none;
a query without BUILD-ID that names a file asks for the build-id of the file.
"""

import json
import sys

import offsetd


def show(value):
    if value.bit_field is not None:
        field = value.bit_field
        return "bits {} {} {} {} {:x} {:x}".format(*field, field.extract(0x5A, "little"), field.extract(0x5A, "big"))
    if value.offset is not None:
        return f"offset {value.offset} size {value.size}"
    if value.number is not None:
        return f"number {value.number}"
    if value.tls is not None:
        return f"tls {value.tls.address % value.tls.alignment} {value.tls.memory_size} {value.tls.alignment}"
    if value.coverage is not None:
        return "coverage {}/{} {}/{}".format(*value.coverage[:4])
    if value.symbols:
        symbols = (f"{s.name} {s.type} {s.binding} {s.size} {s.section} {s.value:x} {int(s.imported)}" for s in value.symbols)
        return f"symbols {int(value.truncated)}: " + ", ".join(symbols)
    if value.plan is not None:
        steps = (f"*{step.pointer_size}" if step.pointer_size else str(step.offset) for step in value.plan.steps)
        return f"plan {value.plan.symbol} {value.plan.size}: {' '.join(steps)}"
    return value.status


def report(query, shown, answer):
    problem = answer if isinstance(answer, offsetd.OffsetdError) else answer.problem
    if problem is not None:
        seconds = -1 if problem.retry_after is None else int(problem.retry_after)
        print(f"{problem.reason.value}, status {problem.status or 0}, code {problem.code or '-'}, retry after {seconds}")
        if problem.reason is offsetd.Reason.NOT_COVERED:
            print(problem.detail)
    if answer is problem:
        return
    machine = (answer.arch or {}).get("machine") or "no machine"
    print(f"{answer.source.value} {machine} {'stale' if answer.stale else 'current'}")
    for item in shown or [*query.items, *query.optional]:
        marks = ("" if answer.covered(item) else ", not covered") + (", incomplete" if answer[item].incomplete else "")
        print(f"{item}: {show(answer[item])}{marks}")


def main():
    server, cache, wait, table, *texts = sys.argv[1:]
    if table != "-":
        with open(table) as file:
            table = json.load(file)
    try:
        client = offsetd.Client(server, cache, None if table == "-" else table, wait=float(wait))
    except ValueError as e:
        sys.exit(f"refused: {e}")
    queries = []
    for text in texts:
        build_id, items, optional, name_map, program, shown = text.split(";")
        if "/" in build_id:
            build_id = offsetd.build_id(build_id)
            print(build_id or "no build-id")
            if not build_id:
                continue
        lists = ([item for item in part.split("&") if item] for part in (items, optional, shown))
        items, optional, shown = lists
        program = offsetd.Program(*program.split(" ")) if program else offsetd.Program()
        queries.append((offsetd.Query(build_id, items, optional, name_map or None, program), shown))
    if len(queries) == 1:
        query, shown = queries[0]
        try:
            answer = client.offsets(
                query.build_id, query.items, optional=query.optional, name_map=query.name_map, program=query.program
            )
        except offsetd.OffsetdError as e:
            answer = e
        report(query, shown, answer)
    else:
        for (query, shown), answer in zip(queries, client.batch([query for query, _ in queries])):
            report(query, shown, answer)


main()
