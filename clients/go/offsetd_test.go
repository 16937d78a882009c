// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestGoroutinesShareAClientAndASmallCache needs a server with a build whose struct point has the members x and y.
func TestGoroutinesShareAClientAndASmallCache(t *testing.T) {
	server, build := os.Getenv("OFFSETD_URL"), os.Getenv("OFFSETD_BUILD")
	if server == "" {
		t.Skip("OFFSETD_URL names no server")
	}
	const maxCache = 8192
	folder := t.TempDir()
	client, err := New(server, folder, nil, Options{Token: os.Getenv("OFFSETD_TOKEN"), MaxCache: maxCache})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for thread := 0; thread < 8; thread++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := 0; i < 20; i++ {
				miss := fmt.Sprintf("point.m%d", i)
				answer, err := client.Offsets(context.Background(),
					Query{BuildID: build, Items: []string{"point.y"}, Optional: []string{miss}})
				if err != nil {
					t.Error(err)
					return
				}
				offset, ok := answer.Value("point.y").Offset()
				if !ok || offset != 4 {
					t.Errorf("point.y: %d, %t", offset, ok)
				}
				if _, ok := answer.Value(miss).Offset(); ok || answer.Value(miss).Status != "field_not_found" {
					t.Errorf("%s: %s", miss, answer.Value(miss).Raw)
				}
			}
		}()
	}
	group.Wait()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			total += info.Size()
		}
		if !strings.HasSuffix(entry.Name(), suffix) {
			t.Errorf("left behind: %s", entry.Name())
		}
	}
	if total == 0 || total > maxCache {
		t.Errorf("the cache has %d bytes", total)
	}
}

// TestEveryFrameHasItsResult needs a server with a build without symbols and program headers.
func TestEveryFrameHasItsResult(t *testing.T) {
	server, build := os.Getenv("OFFSETD_URL"), os.Getenv("OFFSETD_BUILD")
	if server == "" {
		t.Skip("OFFSETD_URL names no server")
	}
	client, err := New(server, t.TempDir(), nil, Options{Token: os.Getenv("OFFSETD_TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	frames := []Frame{
		{BuildID: build, Address: 0x10},
		{Address: 0x7f0000000000},
		{BuildID: strings.ToUpper(build), Address: 0x10, InFile: true},
		{BuildID: strings.Repeat("f", 40), Address: 1},
		{BuildID: strings.Repeat("0", 40), Address: 1},
		{BuildID: "xyz", Address: 1},
	}
	segments := Segments{strings.ToUpper(build): {{Offset: 0, Vaddr: 1<<63 + 0x1000, FileSize: 4096}}, "xyz": nil}
	for _, test := range []struct {
		places   []Place
		statuses []string
	}{
		{client.Symbols(context.Background(), frames, nil), []string{"not_found", "", "no_segments", "", "", ""}},
		{client.Symbols(context.Background(), frames, segments), []string{"not_found", "", "not_found", "", "", ""}},
		{client.Symbolize(context.Background(), frames, nil), []string{"no_debuginfo", "", "no_segments", "", "", ""}},
		{client.Symbolize(context.Background(), frames, segments), []string{"no_debuginfo", "", "no_debuginfo", "", "", ""}},
	} {
		for i, want := range test.statuses {
			place := test.places[i]
			if place.Status != want || (place.Err == nil) != (want != "") {
				t.Errorf("frame %d: %+v", i, place)
			}
			if explained := want == "no_segments" || want == "no_debuginfo"; explained != (place.Detail != "") {
				t.Errorf("frame %d: %q", i, place.Detail)
			}
		}
		for i, want := range map[int]string{1: "no_build_id", 3: "build_not_found", 4: "no_build_id", 5: ""} {
			var e *Error
			if !errors.As(test.places[i].Err, &e) || e.Code != want {
				t.Errorf("frame %d: %v", i, test.places[i].Err)
			}
		}
		if !strings.Contains(test.places[1].Err.Error(), "0x7f0000000000 is only an instruction pointer") {
			t.Error(test.places[1].Err)
		}
	}
	if place := client.Symbols(context.Background(), frames, segments)[2]; place.Address != 1<<63+0x1010 {
		t.Errorf("%+v", place)
	}
}

// serve returns a client of a server that answers with a status and a body.
func serve(t *testing.T, answer func(request string) (int, string)) *Client {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		status, text := answer(r.URL.Path + string(body))
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	client, err := New(server.URL, t.TempDir(), nil, Options{Wait: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

const build1, build2 = "0000000000000001", "0000000000000002"

func TestFunctionsAreThoseOfTheFrames(t *testing.T) {
	asked := `/v1/symbolize[{"addresses":["0x10","file:0x20"],"buildId":"` + build1 +
		`","segments":[{"offset":"0x0","vaddr":"0x1000","fileSize":"0x40"}]},{"addresses":["0x10"],"buildId":"` + build2 + `"}]`
	client := serve(t, func(request string) (int, string) {
		if request != asked {
			t.Error(request)
		}
		return 200, `{"answers": [{"status": 200, "answer": {"addresses": {"file:0x20": {"status": "outside", "frames": []},
			"0x10": {"status": "found", "frames": [
				{"function": "f", "linkageName": "_f", "file": "a.c", "line": 3, "column": 5, "inlined": true},
				{"function": null, "file": null, "line": 0, "column": 0, "inlined": false}]}}}},
			{"status": 202, "retryAfter": 7, "answer": {"addresses": {"0x10": {"status": "in_progress", "frames": []}}}}]}`
	})
	places := client.Symbolize(context.Background(), []Frame{{BuildID: build1, Address: 0x10}, {BuildID: build2, Address: 0x10},
		{BuildID: build1, Address: 0x20, InFile: true}}, Segments{build1: {{Vaddr: 0x1000, FileSize: 0x40}}})
	functions := []Function{{Name: "f", LinkageName: "_f", File: "a.c", Line: 3, Column: 5, Inlined: true}, {}}
	if !reflect.DeepEqual(places[0].Functions, functions) || places[0].Status != "found" || places[2].Status != "outside" {
		t.Errorf("%+v", places)
	}
	var e *Error
	if !errors.As(places[1].Err, &e) || e.Reason != Fetching || e.RetryAfter != 7*time.Second {
		t.Errorf("%+v", places[1])
	}
}

func TestFailureOfASourceCountsForOneBuild(t *testing.T) {
	failing, requests := "", 0
	client := serve(t, func(request string) (int, string) {
		requests++
		switch {
		case strings.Contains(request, build1):
			return 502, `{"code": "upstream_broken"}`
		case failing != "":
			return 504, failing
		}
		return 200, `{"schemaVersion": 1, "buildId": "` + build2 + `", "offsets": {"a": [0, 4]}}`
	})
	ask := func(build, item string) error {
		_, err := client.Offsets(context.Background(), Query{BuildID: build, Items: []string{item}})
		return err
	}
	var e *Error
	if err := ask(build1, "a"); !errors.As(err, &e) || e.Reason != Unavailable || e.RetryAfter != 30*time.Second {
		t.Error(err)
	}
	if err := ask(build2, "a"); err != nil {
		t.Error(err)
	}
	failing = `{"code": "upstream_silent"}`
	_ = ask(build2, "b")
	failing = "<html>504 Gateway Time-out</html>" // of a proxy
	_ = ask(build2, "b")
	if err := ask(build2, "b"); requests != 4 || !strings.Contains(err.Error(), "not asked again yet") {
		t.Errorf("%d requests, %v", requests, err)
	}
}

func TestKeysAreThoseOfTheFile(t *testing.T) {
	path := t.TempDir() + "/file"
	if err := os.WriteFile(path, []byte(strings.Repeat("a", 4096)+"-"+strings.Repeat("b", 4096)), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, of := range map[string]func(string) (string, error){
		"htl:2c70830a181e357c58ea03ce5078e74b":                                    HTLHash,
		"sha256:4beea77a1bfa2913d53869c2d57a220d621bb88939159f7b7fef5076783c8748": SHA256,
	} {
		if got, err := of(path); err != nil || got != want {
			t.Errorf("%s, %v; expected %s", got, err, want)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := exec.Command("go", "tool", "buildid", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "go:" + strings.ReplaceAll(strings.TrimSpace(string(tool)), "/", "~")
	if got, err := GoBuildID(program); err != nil || got != want {
		t.Errorf("%s, %v; expected %s", got, err, want)
	}
}

func TestTextThatIsNoKeyIsRefused(t *testing.T) {
	client, err := New("http://127.0.0.1:9", t.TempDir(), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "0123", "go:", "go:a/b", "go:a?b", "htl:00", "sha256:00", "sha1:00"} {
		_, err := client.Offsets(context.Background(), Query{BuildID: text, Items: []string{"point"}})
		if !errors.Is(err, BadRequest) || !strings.Contains(err.Error(), "not a build-id") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTokenWithALineEndIsRefused(t *testing.T) {
	if _, err := New("http://127.0.0.1:9", t.TempDir(), nil, Options{Token: "offsetd_abc\n"}); err == nil {
		t.Error("taken")
	}
}

func TestBitFieldsAreExtractedInTheByteOrderOfTheBuild(t *testing.T) {
	for _, test := range []struct {
		field       BitField
		load        uint64
		little, big uint64
	}{
		{BitField{0, 1, 0, 3}, 0x5a, 0b010, 0b010},
		{BitField{0, 1, 3, 1}, 0x5a, 1, 1},
		{BitField{0, 1, 4, 4}, 0x5a, 0x5, 0xa},
		{BitField{9, 2, 75, 10}, 0x1234, 0x1234 >> 3 & 0x3ff, 0x1234 >> 3 & 0x3ff},
		{BitField{0, 8, 0, 64}, 1<<63 | 1, 1<<63 | 1, 1<<63 | 1},
	} {
		if got := test.field.Extract(test.load, false); got != test.little {
			t.Errorf("%v, little: %x", test.field, got)
		}
		if got := test.field.Extract(test.load, true); got != test.big {
			t.Errorf("%v, big: %x", test.field, got)
		}
	}
}

func TestPlansHaveTheirSteps(t *testing.T) {
	for text, expected := range map[string]Plan{
		`{"status":"found","steps":[{"offset":16},{"deref":true,"pointerSize":8},{"offset":-4}],"size":1,"bitOffset":3,"bitSize":2,"signed":true}`: {
			Steps: []Step{{Offset: 16}, {PointerSize: 8}, {Offset: -4}}, Size: 1, BitOffset: 3, BitSize: 2, Signed: true},
		`{"status":"found","symbol":"main_arena","address":"0x1d3c60","section":".data","offset":96,"size":8}`: {
			Steps: []Step{{Offset: 96}}, Size: 8, Symbol: "main_arena", Address: 0x1d3c60},
		`{"status":"found","address":"0x10","offset":96,"size":8}`: {Steps: []Step{{Offset: 96}}, Size: 8, Address: 0x10},
		`{"status":"found","address":"0x10","offset":2,"size":2,"byteOrder":"big"}`: {
			Steps: []Step{{Offset: 2}}, Size: 2, Address: 0x10, ByteOrder: "big"},
	} {
		if plan, ok := value([]byte(text), true).Plan(); !ok || !reflect.DeepEqual(plan, expected) {
			t.Errorf("%s: %v", text, plan)
		}
	}
	for _, text := range []string{`[16, 8]`, `{"status":"unsupported","symbol":"x"}`, `{"status":"found","value":3}`} {
		if plan, ok := value([]byte(text), true).Plan(); ok {
			t.Errorf("%s: %v", text, plan)
		}
	}
}

func TestNamesOfANameMapMayBePlans(t *testing.T) {
	const answer = `{"schemaVersion": 1, "buildId": "` + build1 + `", "map": {"set": "ruby", "name": "agent"}, "offsets": {
		"cfp": {"symbol": "vm", "steps": [{"offset": 0}, {"deref": true, "pointerSize": 8}, {"offset": 16}], "size": 8}, "a": 3}}`
	client := serve(t, func(string) (int, string) { return 200, answer })
	found, err := client.Offsets(context.Background(), Query{BuildID: build1, Items: []string{"@ruby"}, NameMap: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	plan, ok := found.Value("cfp").Plan()
	if !ok || !reflect.DeepEqual(plan, Plan{Symbol: "vm", Steps: []Step{{}, {PointerSize: 8}, {Offset: 16}}, Size: 8}) {
		t.Errorf("%+v", plan)
	}
	if status := found.Value("cfp").Status; status != "found" || !found.Covered("cfp") {
		t.Error(status)
	}
}

func TestErrorOfTheConnectionIsKept(t *testing.T) {
	refused := errors.New("refused")
	client, err := New("http://127.0.0.1:9", t.TempDir(), nil, Options{Wait: time.Hour, Transport: failing{refused}})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 2; i++ { // the second time the server is not asked
		_, err = client.Offsets(context.Background(), Query{BuildID: "0123456789abcdef", Items: []string{"point"}})
		if !errors.Is(err, Unreachable) || !errors.Is(err, refused) {
			t.Error(err)
		}
		client.options.Wait = time.Nanosecond
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestFallbackThatIsNoAnswerIsRefused(t *testing.T) {
	for _, table := range []string{`{"ruby": {}}`, `{"ruby": null}`, `[]`, `{`} {
		if _, err := New("http://127.0.0.1:9", t.TempDir(), []byte(table), Options{}); err == nil {
			t.Errorf("%s was taken", table)
		}
	}
}
