// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Frame is an address in a program, as struct bpf_stack_build_id has it.
type Frame struct {
	BuildID string // in hex, also if filled up with zeros; empty if only an instruction pointer is known
	Address uint64
	InFile  bool // Address is an offset in the file of the program, not an ELF virtual address
}

func (f Frame) address() string {
	if f.InFile {
		return fmt.Sprintf("file:0x%x", f.Address)
	}
	return fmt.Sprintf("0x%x", f.Address)
}

// Place is what a build has at the address of a frame.
type Place struct {
	Status  string // "found", "not_found", "outside_segments", "no_segments"; empty with Err
	Address Address
	Symbols []Symbol // the preferred one first
	Err     error    // why the build has no answer: an *Error
}

const (
	maxFrames = 10_000 // the server takes so many at once
	maxBuilds = 200
)

// Symbols returns what is at frames, in their order. All builds are waited for together; those that take longer have an
// error with the reason Fetching.
func (c *Client) Symbols(ctx context.Context, frames []Frame) []Place {
	end := time.Now().Add(c.options.Wait)
	places := make([]Place, len(frames))
	for start := 0; start < len(frames); {
		builds := map[string]bool{}
		next := start
		for ; next < len(frames) && next-start < maxFrames; next++ {
			if builds[strings.ToLower(frames[next].BuildID)] = true; len(builds) > maxBuilds {
				break
			}
		}
		c.symbols(ctx, frames[start:next], places[start:next], end)
		start = next
	}
	return places
}

func (c *Client) symbols(ctx context.Context, frames []Frame, places []Place, end time.Time) {
	queries := make([]map[string]string, len(frames))
	for i, frame := range frames {
		queries[i] = map[string]string{"address": frame.address()}
		if frame.BuildID != "" {
			queries[i]["buildId"] = frame.BuildID
		}
	}
	r := c.exchange(ctx, request{"/v1/symbols", map[string]any{"queries": queries}, ""}, end)
	var batch struct {
		Answers []struct {
			BuildID    string
			Status     int
			Answer     struct{ Addresses map[string]Place }
			Problem    json.RawMessage
			RetryAfter int
		}
	}
	if r.problem == nil && json.Unmarshal(r.body, &batch) != nil {
		r.problem = &Error{Reason: Unexpected, Status: r.status, Detail: "the response is not that to this batch"}
	}
	known := map[string]int{}
	for i, answer := range batch.Answers {
		if answer.BuildID != "" || answer.Status == 422 { // else a build-id that the server cannot read
			known[answer.BuildID] = i
		}
	}
	for i, frame := range frames {
		key := strings.ToLower(frame.BuildID)
		if strings.Trim(key, "0") == "" {
			key = ""
		}
		at, ok := known[key]
		switch {
		case r.problem != nil:
			places[i].Err = r.problem
		case !ok:
			places[i].Err = &Error{Reason: BadRequest, Detail: fmt.Sprintf("no build-id: %q", frame.BuildID)}
		case batch.Answers[at].Status != 200:
			answer := batch.Answers[at]
			places[i].Err = problem(answer.Status, answer.Problem, time.Duration(answer.RetryAfter)*time.Second)
		default:
			places[i] = batch.Answers[at].Answer.Addresses[frame.address()]
		}
	}
}
