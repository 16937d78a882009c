// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Frame is an address in a program, as struct bpf_stack_build_id has it.
type Frame struct {
	BuildID string // in hex, also if filled up with zeros; empty if only an instruction pointer is known
	Address uint64 // of a return address, the byte before it, which is part of the call
	InFile  bool   // Address is an offset in the file of the program, not an ELF virtual address
}

func (f Frame) address() string {
	if f.InFile {
		return fmt.Sprintf("file:0x%x", f.Address)
	}
	return fmt.Sprintf("0x%x", f.Address)
}

// key returns the build-id of a frame in the spelling that the server uses, or an *Error.
func (f Frame) key() (string, error) {
	if strings.Trim(f.BuildID, "0") == "" {
		return "", &Error{Reason: Unusable, Code: "no_build_id", Detail: f.address() +
			" is only an instruction pointer: the kernel found no build-id, or the memory is not that of a file"}
	}
	id, err := key(f.BuildID)
	if err != nil {
		return "", &Error{Reason: BadRequest, Detail: err.Error()}
	}
	return id, nil
}

// Segment is a loaded segment (PT_LOAD) of a program.
type Segment struct{ Offset, Vaddr, FileSize uint64 }

// MarshalJSON writes hex: the server takes numbers of up to 63 bits, and kernels have larger addresses.
func (s Segment) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"offset":"0x%x","vaddr":"0x%x","fileSize":"0x%x"}`, s.Offset, s.Vaddr, s.FileSize)), nil
}

// Segments of programs by build-id. A server that has only the debug file of a program needs them for offsets in its file.
type Segments map[string][]Segment

// Place is what a build has at the address of a frame.
type Place struct {
	Status    string     // "found", or why something is missing: "not_found", "no_segments", "no_line", ...; empty with Err
	Detail    string     // of the status, for people; may be empty
	Address   Address    // ELF virtual address; of Client.Symbols
	Symbols   []Symbol   // the preferred one first; of Client.Symbols
	Functions []Function `json:"frames"` // the innermost one first; of Client.Symbolize
	Err       error      // why the build has no answer: an *Error
}

// Function is one that has the code at an address.
type Function struct {
	Name        string `json:"function"` // with the scopes around it; empty if unknown
	LinkageName string // the name that linkers see, if it is another one
	File        string // empty if unknown
	Line        int    // 0 if unknown
	Column      int    // 0 if unknown
	Inlined     bool   // into the next one
}

const (
	maxFrames = 10_000 // the server takes so many at once
	maxBuilds = 200

	symbols   = "/v1/symbols"
	symbolize = "/v1/symbolize"
)

// Symbols returns the symbols at frames, in their order. All builds are waited for together; those that take longer have an
// error with the reason Fetching. The segments may be nil.
func (c *Client) Symbols(ctx context.Context, frames []Frame, segments Segments) []Place {
	return c.places(ctx, symbols, frames, segments)
}

// Symbolize returns the functions at frames, inlined ones too, with their files and lines, as Symbols returns symbols.
func (c *Client) Symbolize(ctx context.Context, frames []Frame, segments Segments) []Place {
	return c.places(ctx, symbolize, frames, segments)
}

// stack is the part of a request that is about one build.
type stack struct {
	buildID   string
	addresses []string
	places    []*Place // of the addresses
}

func (c *Client) places(ctx context.Context, target string, frames []Frame, segments Segments) []Place {
	end := time.Now().Add(c.options.Wait)
	known := Segments{}
	for text, list := range segments {
		if id, err := key(text); err == nil {
			known[id] = list
		}
	}
	places := make([]Place, len(frames))
	var stacks []*stack
	of := map[string]*stack{}
	count := 0
	for i, frame := range frames {
		id, err := frame.key()
		if err != nil {
			places[i].Err = err
			continue
		}
		if count == maxFrames || (of[id] == nil && len(stacks) == maxBuilds) {
			c.locate(ctx, request{target, content(target, stacks, known), ""}, stacks, end)
			stacks, of, count = nil, map[string]*stack{}, 0
		}
		if of[id] == nil {
			of[id] = &stack{buildID: id}
			stacks = append(stacks, of[id])
		}
		of[id].addresses = append(of[id].addresses, frame.address())
		of[id].places = append(of[id].places, &places[i])
		count++
	}
	if count > 0 {
		c.locate(ctx, request{target, content(target, stacks, known), ""}, stacks, end)
	}
	return places
}

func content(target string, stacks []*stack, segments Segments) any {
	var queries []map[string]any
	if target == symbolize {
		for _, s := range stacks {
			query := map[string]any{"buildId": s.buildID, "addresses": s.addresses}
			if list := segments[s.buildID]; list != nil {
				query["segments"] = list
			}
			queries = append(queries, query)
		}
		return queries
	}
	asked := Segments{}
	for _, s := range stacks {
		for _, address := range s.addresses {
			queries = append(queries, map[string]any{"buildId": s.buildID, "address": address})
		}
		if list := segments[s.buildID]; list != nil {
			asked[s.buildID] = list
		}
	}
	return map[string]any{"queries": queries, "segments": asked}
}

// locate fills the places of a request, whose response has an answer for each build.
func (c *Client) locate(ctx context.Context, request request, stacks []*stack, end time.Time) {
	r := c.exchange(ctx, request, end)
	var batch struct {
		Answers []struct {
			Status int
			Answer struct {
				Addresses map[string]Place
				Problem   struct{ Detail string } // of all addresses
			}
			Problem    json.RawMessage
			RetryAfter int
		}
	}
	unexpected := &Error{Reason: Unexpected, Status: r.status, Detail: "the response is not that to this batch"}
	if r.problem == nil && (json.Unmarshal(r.body, &batch) != nil || len(batch.Answers) != len(stacks)) {
		r.problem = unexpected
	}
	for i, s := range stacks {
		failure := r.problem
		if failure == nil && batch.Answers[i].Status != http.StatusOK {
			a := batch.Answers[i]
			failure = problem(a.Status, a.Problem, time.Duration(a.RetryAfter)*time.Second)
		}
		for j, place := range s.places {
			if failure != nil {
				place.Err = failure
				continue
			}
			answer := batch.Answers[i].Answer
			found, ok := answer.Addresses[s.addresses[j]]
			if *place = found; !ok {
				place.Err = unexpected
			} else if place.Detail == "" {
				place.Detail = answer.Problem.Detail
			}
		}
	}
}
