// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Reason says why there is no answer. It is also an error: errors.Is(err, offsetd.NoBuild).
type Reason string

const (
	Fetching    Reason = "fetching"    // the server is fetching or reading the build: ask again after RetryAfter
	NoBuild     Reason = "no build"    // every source of the server definitely has no such build
	Unusable    Reason = "unusable"    // a file of the build exists and cannot answer
	NotCovered  Reason = "not covered" // the build lacks a required item; Missing says which
	Refused     Reason = "refused"     // the token is missing, wrong or lacks the scope "read"
	Unavailable Reason = "unavailable" // the server is busy, or it or a source of it failed
	Unreachable Reason = "unreachable" // there was no response
	Unexpected  Reason = "unexpected"  // the response is not that of an offsetd
	BadRequest  Reason = "bad request" // a fault of the caller: do not repeat the request
)

func (r Reason) Error() string { return string(r) }

// Error says why there is no answer, or why an answer is not the server's.
type Error struct {
	Reason     Reason
	Status     int           // of HTTP; 0 if there was no response
	Code       string        // of the problem, for programs: "build_not_found"; may be empty
	Detail     string        // for people
	RetryAfter time.Duration // when to ask again; 0 if the server did not say
	Missing    []Missing     // the required items that the build lacks
	cause      error
}

func (e *Error) Error() string {
	text := string(e.Reason)
	if e.Status != 0 {
		text += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Is reports whether the target is the reason.
func (e *Error) Is(target error) bool { return target == e.Reason }

// Unwrap returns the error of the connection, or nil.
func (e *Error) Unwrap() error { return e.cause }

// ofSource reports whether a source of the server failed, which says nothing about other builds. A 502 or 504 without a code is
// that of a proxy whose server is away.
func (e *Error) ofSource() bool {
	failed := e.Status == http.StatusNotFound || e.Status == http.StatusBadGateway || e.Status == http.StatusGatewayTimeout
	return e.Reason == Unavailable && e.Code != "" && failed
}

// problem returns the reason that a status stands for, with what the body says about it.
func problem(status int, body []byte, retryAfter time.Duration) *Error {
	var p struct {
		Code, Cause, Detail string
		RetryAfter          uint32
	}
	_ = json.Unmarshal(body, &p) // another server's page has none of these
	if retryAfter == 0 {
		retryAfter = time.Duration(p.RetryAfter) * time.Second
	}
	e := &Error{Reason: Unexpected, Status: status, Code: p.Code, Detail: p.Detail, RetryAfter: retryAfter}
	switch {
	case status == http.StatusAccepted:
		e.Reason = Fetching
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Reason = Refused
	case status == http.StatusNotFound && p.Code == "build_not_found" && p.Cause == "incomplete":
		e.Reason = Unavailable // a source that fails at present may have the build
	case status == http.StatusNotFound && p.Code == "build_not_found":
		e.Reason = NoBuild
	case status == http.StatusConflict || status == http.StatusUnprocessableEntity:
		e.Reason = Unusable
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500:
		e.Reason = Unavailable
	case status >= 400 && status != http.StatusNotFound && p.Code != "":
		e.Reason = BadRequest
	}
	return e
}

func notCovered(missing []Missing) *Error {
	var names []string
	for _, m := range missing {
		if len(names) == 3 {
			names = append(names, fmt.Sprintf("%d more", len(missing)-3))
			break
		}
		names = append(names, m.String())
	}
	return &Error{Reason: NotCovered, Detail: "the build lacks " + strings.Join(names, ", "), Missing: missing}
}
