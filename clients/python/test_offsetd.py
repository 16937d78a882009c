import os
import tempfile
import threading
import unittest

import offsetd


class ClientTest(unittest.TestCase):
    @unittest.skipUnless("OFFSETD_SERVER" in os.environ, "OFFSETD_SERVER names no server")
    def test_threads_share_a_client_and_a_small_cache(self):
        """Needs a server with a build whose struct point has the members x and y."""
        max_cache = 8192
        failures = []
        with tempfile.TemporaryDirectory() as folder:
            client = offsetd.Client(
                os.environ["OFFSETD_SERVER"], folder, token=os.environ.get("OFFSETD_TOKEN"), max_cache=max_cache
            )

            def work():
                for i in range(20):
                    miss = f"point.m{i}"
                    answer = client.offsets(os.environ["OFFSETD_BUILD"], ["point.y", miss])
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

    def test_fallback_that_is_no_answer_is_refused(self):
        for table in ({"ruby": {}}, {"ruby": {"schemaVersion": 1}}):
            with self.assertRaises(ValueError):
                offsetd.Client("http://127.0.0.1:9", "unused", table)


if __name__ == "__main__":
    unittest.main()
