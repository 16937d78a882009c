package offsetd

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestGoroutinesShareAClientAndASmallCache needs a server with a build whose struct point has the members x and y.
func TestGoroutinesShareAClientAndASmallCache(t *testing.T) {
	server, build := os.Getenv("OFFSETD_SERVER"), os.Getenv("OFFSETD_BUILD")
	if server == "" {
		t.Skip("OFFSETD_SERVER names no server")
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
				answer, err := client.Offsets(context.Background(), build, []string{"point.y", miss}, "")
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

func TestFallbackThatIsNoAnswerIsRefused(t *testing.T) {
	for _, table := range []string{`{"ruby": {}}`, `{"ruby": null}`, `[]`, `{`} {
		if _, err := New("http://127.0.0.1:9", t.TempDir(), []byte(table), Options{}); err == nil {
			t.Errorf("%s was taken", table)
		}
	}
}
