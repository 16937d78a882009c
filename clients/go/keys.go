// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

var (
	keys   = regexp.MustCompile(`^(([0-9a-f]{2}){8,64}|go:[A-Za-z0-9_.=+~-]{1,200}|htl:[0-9a-f]{32}|sha256:[0-9a-f]{64})$`)
	goKeys = regexp.MustCompile(`^[A-Za-z0-9_.=+/-]{1,200}$`)
)

// key returns the spelling of a build-id or alias key that the server uses, or an error.
func key(text string) (string, error) {
	if !isGo(text) {
		text = strings.ToLower(text)
	}
	if !keys.MatchString(text) {
		return "", fmt.Errorf("not a build-id: %q; expected 8 to 64 bytes in hex, or go:, htl: or sha256: and a value", text)
	}
	return text, nil
}

func isGo(key string) bool { return strings.HasPrefix(key, "go:") }

// isAlias reports whether a build may be stored under another key than this one.
func isAlias(key string) bool { return strings.Contains(key, ":") }

// HTLHash returns the alias key of an executable by OpenTelemetry's process.executable.build_id.htlhash: the SHA-256 of its
// first 4096 bytes, its last 4096 bytes and its length as a big-endian 64-bit number, cut to 16 bytes.
func HTLHash(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	end := info.Size()
	if end > 4096 {
		end = 4096
	}
	hash := sha256.New()
	for _, from := range []int64{0, info.Size() - end} {
		if _, err := io.Copy(hash, io.NewSectionReader(file, from, end)); err != nil {
			return "", err
		}
	}
	if err := binary.Write(hash, binary.BigEndian, info.Size()); err != nil {
		return "", err
	}
	return "htl:" + hex.EncodeToString(hash.Sum(nil)[:16]), nil
}

// SHA256 returns the alias key of exactly this file.
func SHA256(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil)), nil
}

// BuildID returns the GNU build-id of an ELF file; empty if it has none. The path may be that of a mapped file,
// /proc/PID/map_files/START-END, which works when the file was replaced.
func BuildID(path string) (string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	// Debug files have no contents of segments, and some programs have no sections.
	for _, section := range file.Sections {
		if section.Type == elf.SHT_NOTE {
			if id := buildID(section.Open(), file.ByteOrder, section.Addralign); id != "" {
				return id, nil
			}
		}
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_NOTE {
			if id := buildID(segment.Open(), file.ByteOrder, segment.Align); id != "" {
				return id, nil
			}
		}
	}
	return "", nil
}

// buildID returns the build-id in notes; empty if they have none.
func buildID(reader io.Reader, order binary.ByteOrder, align uint64) string {
	const mostBytes, gnuBuildID = 1 << 16, 3
	notes, err := io.ReadAll(io.LimitReader(reader, mostBytes))
	if err != nil {
		return ""
	}
	padding := uint64(3)
	if align == 8 {
		padding = 7
	}
	for at, end := uint64(0), uint64(len(notes)); at+12 <= end; {
		name, description := uint64(order.Uint32(notes[at:])), uint64(order.Uint32(notes[at+4:]))
		start := at + (12+name+padding)&^padding
		if start+description > end {
			break
		}
		if order.Uint32(notes[at+8:]) == gnuBuildID && name == 4 && string(notes[at+12:at+16]) == "GNU\x00" {
			if id, err := key(hex.EncodeToString(notes[start : start+description])); err == nil {
				return id
			}
		}
		at = start + (description+padding)&^padding
	}
	return ""
}

// GoBuildID returns the alias key of a Go program by its Go build-id; empty if the file has none.
func GoBuildID(path string) (string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	section := file.Section(".note.go.buildid")
	if section == nil || section.Size < 16 || section.Size > 1024 {
		return "", nil
	}
	note, err := section.Data()
	if err != nil {
		return "", err
	}
	length := int(file.ByteOrder.Uint32(note[4:]))
	if length > len(note)-16 || string(note[12:16]) != "Go\x00\x00" {
		return "", nil
	}
	id := string(note[16 : 16+length])
	if !goKeys.MatchString(id) {
		return "", nil
	}
	return "go:" + strings.ReplaceAll(id, "/", "~"), nil
}
