// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

const (
	suffix     = ".offsetd"
	unfinished = ".unfinished-"
)

// cache is a folder of answers, one file each. All clients of offsetd share the format; ../README.md describes it.
// Goroutines and processes may share the folder.
type cache struct {
	folder   string
	maxBytes int64
}

func hash(text []byte) string {
	h := fnv.New64a()
	h.Write(text)
	return fmt.Sprintf("%016x", h.Sum64())
}

func (c cache) path(key string) string {
	return filepath.Join(c.folder, hash([]byte(key))+suffix)
}

// read returns the ETag and the body of a key, or nothing if there are none or the file is damaged.
func (c cache) read(key string) (string, []byte) {
	stored, err := os.ReadFile(c.path(key))
	if err != nil {
		return "", nil
	}
	parts := bytes.SplitN(stored, []byte("\n"), 4)
	if len(parts) != 4 || string(parts[0]) != key || string(parts[2]) != hash(parts[3]) {
		return "", nil
	}
	now := time.Now()
	_ = os.Chtimes(c.path(key), now, now) // eviction is by last use
	return string(parts[1]), parts[3]
}

// write stores an answer and evicts the least recently used ones. A full disk is no error: nothing is stored then.
func (c cache) write(key, etag string, body []byte) {
	if os.MkdirAll(c.folder, 0o755) != nil {
		return
	}
	file, err := os.CreateTemp(c.folder, unfinished+"*")
	if err != nil {
		return
	}
	_, err = file.Write(bytes.Join([][]byte{[]byte(key), []byte(etag), []byte(hash(body)), body}, []byte("\n")))
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), c.path(key))
	}
	if err != nil {
		os.Remove(file.Name())
		return
	}
	c.evict()
}

func (c cache) evict() {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case err != nil: // another process evicted it
		case strings.HasSuffix(info.Name(), suffix):
			files = append(files, info)
			total += info.Size()
		case strings.HasPrefix(info.Name(), unfinished) && time.Since(info.ModTime()) > time.Hour:
			os.Remove(filepath.Join(c.folder, info.Name())) // its writer was killed
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].ModTime().Before(files[j].ModTime()) })
	for _, info := range files {
		if total <= c.maxBytes {
			return
		}
		os.Remove(filepath.Join(c.folder, info.Name()))
		total -= info.Size()
	}
}
