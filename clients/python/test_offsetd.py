# SPDX-License-Identifier: Apache-2.0

import http.server
import json
import os
import tempfile
import threading
import unittest

import offsetd

BUILD_1, BUILD_2 = "0000000000000001", "0000000000000002"


class ClientTest(unittest.TestCase):
    @unittest.skipUnless("OFFSETD_URL" in os.environ, "OFFSETD_URL names no server")
    def test_threads_share_a_client_and_a_small_cache(self):
        """Needs a server with a build whose struct point has the members x and y."""
        max_cache = 8192
        failures = []
        with tempfile.TemporaryDirectory() as folder:
            client = offsetd.Client(
                os.environ["OFFSETD_URL"], folder, token=os.environ.get("OFFSETD_TOKEN"), max_cache=max_cache
            )

            def work():
                for i in range(20):
                    miss = f"point.m{i}"
                    answer = client.offsets(os.environ["OFFSETD_BUILD"], ["point.y"], optional=[miss])
                    if answer["point.y"].offset != 4 or answer[miss].offset is not None:
                        failures.append((answer["point.y"], answer[miss]))
                    if answer[miss].status != "field_not_found":
                        failures.append(answer[miss])

            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            names = os.listdir(folder)
            self.assertTrue(all(name.endswith(".offsetd") for name in names), names)
            total = sum(os.path.getsize(os.path.join(folder, name)) for name in names)
            self.assertTrue(0 < total <= max_cache, total)

    @unittest.skipUnless("OFFSETD_URL" in os.environ, "OFFSETD_URL names no server")
    def test_every_frame_has_its_result(self):
        """Needs a build without symbols and program headers."""
        build = os.environ["OFFSETD_BUILD"]
        frames = [
            (build, "0x10"),
            (None, "0x7f0000000000"),
            (build.upper(), "file:0x10"),
            ("f" * 40, "0x1"),
            ("0" * 40, "0x1"),
            ("xyz", "0x1"),
            (build, "16"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            client = offsetd.Client(os.environ["OFFSETD_URL"], folder, token=os.environ.get("OFFSETD_TOKEN"))
            segments = {build.upper(): [(0, (1 << 63) + 0x1000, 4096)], "xyz": []}
            for places, statuses in (
                (client.symbols(frames), ["not_found", "no_segments", "malformed"]),
                (client.symbols(frames, segments), ["not_found", "not_found", "malformed"]),
                (client.symbolize(frames), ["no_debuginfo", "no_segments", "malformed"]),
                (client.symbolize(frames, segments), ["no_debuginfo", "no_debuginfo", "malformed"]),
            ):
                found = [places[i] for i in (0, 2, 6)]
                self.assertEqual([place.status for place in found], statuses)
                self.assertEqual([bool(place.detail) for place in found], [status != "not_found" for status in statuses])
                codes = [places[i].code for i in (1, 3, 4)]
                self.assertEqual(codes, ["no_build_id", "build_not_found", "no_build_id"])
                self.assertIn("0x7f0000000000 is only an instruction pointer", str(places[1]))
                self.assertIs(places[5].reason, offsetd.Reason.BAD_REQUEST)
            self.assertEqual(client.symbols(frames, segments)[2].address, (1 << 63) + 0x1010)

    def serve(self, answer):
        """Returns a client of a server that answers a request with a status and a body."""

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, body = answer(self.path, content.decode())
                body = body.encode()
                self.send_response(status)
                self.send_header("Retry-After", "30")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return offsetd.Client(f"http://127.0.0.1:{server.server_port}", folder.name, wait=0)

    def test_functions_are_those_of_the_frames(self):
        reply = """{"answers": [{"status": 200, "answer": {"addresses": {"file:0x20": {"status": "outside", "frames": []},
            "0x10": {"status": "found", "frames": [
                {"function": "f", "linkageName": "_f", "file": "a.c", "line": 3, "column": 5, "inlined": true},
                {"function": null, "file": null, "line": 0, "column": 0, "inlined": false}]}}}},
            {"status": 202, "retryAfter": 7, "answer": {"addresses": {"0x10": {"status": "in_progress", "frames": []}}}}]}"""
        asked = []
        client = self.serve(lambda path, content: asked.append((path, json.loads(content))) or (200, reply))
        frames = [(BUILD_1, "0x10"), (BUILD_2, "0x10"), (BUILD_1, "file:0x20")]
        places = client.symbolize(frames, {BUILD_1: [(0, 0x1000, 0x40)]})
        segments = [{"offset": "0x0", "vaddr": "0x1000", "fileSize": "0x40"}]
        first = {"buildId": BUILD_1, "addresses": ["0x10", "file:0x20"], "segments": segments}
        second = {"buildId": BUILD_2, "addresses": ["0x10"], "segments": []}
        self.assertEqual(asked, [("/v1/symbolize", [first, second])])
        functions = (("f", "_f", "a.c", 3, 5, True), (None, None, None, 0, 0, False))
        self.assertEqual(places[0], ("found", None, (), functions, ""))
        self.assertEqual(places[2].status, "outside")
        self.assertEqual((places[1].reason, places[1].retry_after), (offsetd.Reason.FETCHING, 7))

    def test_address_of_a_wrong_type_fails_its_frame_only(self):
        reply = {"answers": [{"status": 200, "answer": {"addresses": {"0x1050": {"status": "outside", "frames": []}}}}]}
        asked = []
        client = self.serve(lambda path, content: asked.append(json.loads(content)) or (200, json.dumps(reply)))
        places = client.symbolize([(BUILD_1, 0x1050), (BUILD_1, None), (7, "0x1"), (BUILD_1, "0x1050")])
        self.assertEqual(asked[0][0]["addresses"], ["0x1050", "0x1050"])
        self.assertEqual([places[0].status, places[3].status], ["outside", "outside"])
        self.assertEqual([places[i].reason for i in (1, 2)], [offsetd.Reason.BAD_REQUEST] * 2)
        self.assertIn("expected an int", places[1].detail)

    def test_build_that_a_skipped_source_may_have_is_unavailable(self):
        incomplete = '{"code": "build_not_found", "cause": "incomplete"}'
        found = (200, f'{{"schemaVersion": 1, "buildId": "{BUILD_2}", "offsets": {{"a": [0, 4]}}}}')
        answers = [(404, incomplete), found, (404, '{"code": "build_not_found", "cause": "not_found"}')]
        client = self.serve(lambda *_: answers.pop(0))
        with self.assertRaises(offsetd.OffsetdError) as raised:
            client.offsets(BUILD_1, ["a"])
        self.assertIs(raised.exception.reason, offsetd.Reason.UNAVAILABLE)
        self.assertEqual(client.offsets(BUILD_2, ["a"])["a"].offset, 0)
        with self.assertRaises(offsetd.OffsetdError) as raised:
            client.offsets(BUILD_1, ["a"])
        self.assertIs(raised.exception.reason, offsetd.Reason.NO_BUILD)

    def test_values_that_are_0_are_shown(self):
        answer = offsetd.Answer({"schemaVersion": 1, "offsets": {"a": [0, 0], "b": {"status": "found", "value": 0}}})
        self.assertEqual(repr(answer["a"]), "Value(status='found', offset=0, size=0)")
        self.assertEqual(repr(answer["b"]), "Value(status='found', number=0)")

    def test_failure_of_a_source_counts_for_one_build(self):
        found = (200, f'{{"schemaVersion": 1, "buildId": "{BUILD_2}", "offsets": {{"a": [0, 4]}}}}')
        of_proxy = (504, "<html>504 Gateway Time-out</html>")
        answers = [(502, '{"code": "upstream_broken"}'), found, (504, '{"code": "upstream_silent"}'), of_proxy]
        client = self.serve(lambda *_: answers.pop(0))
        with self.assertRaises(offsetd.OffsetdError) as raised:
            client.offsets(BUILD_1, ["a"])
        self.assertEqual((raised.exception.reason, raised.exception.retry_after), (offsetd.Reason.UNAVAILABLE, 30))
        self.assertEqual(client.offsets(BUILD_2, ["a"])["a"].offset, 0)
        for _ in range(2):
            with self.assertRaises(offsetd.OffsetdError):
                client.offsets(BUILD_2, ["b"])
        with self.assertRaisesRegex(offsetd.OffsetdError, "not asked again yet"):
            client.offsets(BUILD_2, ["b"])
        self.assertEqual(answers, [])

    def test_names_of_a_name_map_may_be_plans(self):
        steps = '[{"offset": 0}, {"deref": true, "pointerSize": 8}, {"offset": 16}]'
        names = f'{{"cfp": {{"symbol": "vm", "steps": {steps}, "size": 8}}, "a": 3}}'
        answer = f'{{"schemaVersion": 1, "buildId": "{BUILD_1}", "map": {{"set": "ruby", "name": "agent"}}, "offsets": {names}}}'
        client = self.serve(lambda *_: (200, answer))
        value = client.offsets(BUILD_1, ["@ruby"], name_map="agent")["cfp"]
        steps = ((0, None), (None, 8), (16, None))
        self.assertEqual((value.status, value.plan.symbol, value.plan.steps), ("found", "vm", steps))

    def test_keys_are_those_of_the_file(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"a" * 4096 + b"-" + b"b" * 4096)
            file.flush()
            self.assertEqual(offsetd.htlhash(file.name), "htl:2c70830a181e357c58ea03ce5078e74b")
            self.assertEqual(
                offsetd.sha256(file.name), "sha256:4beea77a1bfa2913d53869c2d57a220d621bb88939159f7b7fef5076783c8748"
            )

    def test_text_that_is_no_key_is_refused(self):
        client = offsetd.Client("http://127.0.0.1:9", "unused")
        for text in (None, "", "0123", "go:", "go:a/b", "go:a?b", "htl:00", "sha256:00", "sha1:00"):
            with self.assertRaisesRegex(ValueError, "not a build-id"):
                client.offsets(text, ["point"])

    def test_arguments_that_cannot_be_right_are_refused(self):
        client = offsetd.Client("http://127.0.0.1:9", "unused")
        for items in ((), "point"):
            with self.assertRaisesRegex(ValueError, "expected a list of items"):
                client.offsets("0123456789abcdef", items)
        with self.assertRaisesRegex(ValueError, "token"):
            offsetd.Client("http://127.0.0.1:9", "unused", token="offsetd_abc\n")

    def test_bit_fields_are_extracted_in_the_byte_order_of_the_build(self):
        field = offsetd.BitField(0, 1, 4, 4)
        self.assertEqual((field.extract(0x5A, "little"), field.extract(0x5A, "big")), (0x5, 0xA))
        field = offsetd.BitField(9, 2, 75, 10)
        self.assertEqual((field.extract(0x1234, "little"), field.extract(0x1234, "big")), (0x246, 0x246))

    def test_plans_have_their_steps(self):
        offsets = {
            "a->b": {
                "status": "found",
                "steps": [{"offset": 16}, {"deref": True, "pointerSize": 8}, {"offset": 4}],
                "size": 1,
                "bitOffset": 3,
                "bitSize": 2,
                "signed": True,
            },
            "variable": {"status": "found", "symbol": "v", "address": "0x10", "offset": 96, "size": 8},
            "without symbol": {"status": "found", "address": "0x10", "offset": 96, "size": 8},
            "swapped": {"status": "found", "symbol": "v", "address": "0x10", "offset": 96, "size": 8, "byteOrder": "big"},
            "member": [16, 8],
            "lost": {"status": "unsupported", "symbol": "v"},
        }
        answer = offsetd.Answer({"schemaVersion": 1, "offsets": offsets})
        steps = (offsetd.Step(16, None), offsetd.Step(None, 8), offsetd.Step(4, None))
        self.assertEqual(answer["a->b"].plan, offsetd.Plan(steps, 1, 3, 2, True, None, None, False))
        variable = offsetd.Plan((offsetd.Step(96, None),), 8, None, None, None, "v", 16, False)
        self.assertEqual(answer["variable"].plan, variable)
        self.assertEqual(answer["without symbol"].plan, variable._replace(symbol=None))
        self.assertEqual(answer["swapped"].plan, variable._replace(byte_order="big"))
        self.assertIsNone(answer["member"].plan)
        self.assertIsNone(answer["lost"].plan)

    def test_fallback_that_is_no_answer_is_refused(self):
        for table in ({"ruby": {}}, {"ruby": {"schemaVersion": 1}}):
            with self.assertRaises(ValueError):
                offsetd.Client("http://127.0.0.1:9", "unused", table)


if __name__ == "__main__":
    unittest.main()
