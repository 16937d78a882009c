// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	longestURL   = 4000 // some proxies refuse longer ones; the items go into a body then
	firstDelay   = time.Second
	longestDelay = 5 * time.Minute
	grace        = 2 * time.Second // for responses beyond the wait that the server was asked for
)

// request is a GET without content.
type request struct {
	target  string
	content any
	etag    string
}

// response has a problem unless its status is 200 or 304.
type response struct {
	status  int
	etag    string
	body    []byte
	problem *Error
}

func (c *Client) request(t *task) request {
	if len(t.key) <= longestURL {
		return request{t.key, nil, t.etag}
	}
	return request{"/v1/offsets/" + t.BuildID + "?" + t.parameters(false), t.asked(), ""}
}

func (c *Client) batchRequest(tasks []*task) request {
	queries := make([]map[string]any, len(tasks))
	for i, t := range tasks {
		query := map[string]any{"buildId": t.BuildID, "types": t.asked(), "view": "flat"}
		if t.NameMap != "" {
			query["view"], query["map"] = "map", t.NameMap
		}
		if t.etag != "" {
			query["ifNoneMatch"] = t.etag
		}
		for _, claim := range t.claims() {
			query[claim[0]] = claim[1]
		}
		queries[i] = query
	}
	return request{"/v1/offsets", queries, ""}
}

// replies returns the response to each query of a batch.
func replies(r response, count int) []response {
	replies := make([]response, count)
	var batch struct {
		Answers []struct {
			Status     int
			ETag       string
			Answer     json.RawMessage
			Problem    json.RawMessage
			RetryAfter int
		}
	}
	if r.problem == nil && (json.Unmarshal(r.body, &batch) != nil || len(batch.Answers) != count) {
		r.problem = &Error{Reason: Unexpected, Status: r.status, Detail: "the response is not that to this batch"}
	}
	for i := range replies {
		if r.problem != nil {
			replies[i].problem = r.problem
			continue
		}
		a := batch.Answers[i]
		replies[i] = response{a.Status, a.ETag, a.Answer, nil}
		if a.Status != http.StatusOK && a.Status != http.StatusNotModified {
			replies[i].problem = problem(a.Status, a.Problem, time.Duration(a.RetryAfter)*time.Second)
		}
	}
	return replies
}

// exchange sends a request until there is a result or waiting is over. It does not wait for a server that cannot be reached, and
// sends nothing when the responses to earlier parts of a batch have taken all of the time.
func (c *Client) exchange(ctx context.Context, request request, end time.Time) response {
	for {
		if pause, last := c.backoff(); pause > 0 && !sleep(ctx, pause, end) {
			last.RetryAfter = pause
			last.Detail = "not asked again yet: " + last.Detail
			return response{problem: &last}
		}
		if time.Until(end) < -grace {
			return response{problem: &Error{Reason: Unreachable, Detail: "no time was left to ask for this part of the batch"}}
		}
		r := c.send(ctx, request, end)
		var pause time.Duration
		switch {
		case r.problem == nil:
			c.succeeded()
			return r
		case r.problem.Reason == Fetching || r.problem.ofSource():
			c.succeeded()
			pause = c.spread(r.problem.RetryAfter)
		case r.problem.Reason == Unavailable:
			pause = c.failed(*r.problem)
		case r.problem.Reason == Unreachable:
			if ctx.Err() == nil { // else the caller gave up, which says nothing about the server
				c.failed(*r.problem)
			}
			return r
		default:
			c.succeeded()
			return r
		}
		if !sleep(ctx, pause, end) {
			return r
		}
	}
}

func (c *Client) send(ctx context.Context, asked request, end time.Time) response {
	ctx, cancel := context.WithDeadline(ctx, end.Add(grace))
	defer cancel()
	method, content := "GET", []byte(nil)
	if asked.content != nil {
		method = "POST"
		content, _ = json.Marshal(asked.content) // strings only
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+asked.target, bytes.NewReader(content))
	if err != nil {
		return unreachable(err)
	}
	wait := time.Until(end).Round(time.Second)
	if wait < 0 {
		wait = 0
	} else if wait > 30*time.Second {
		wait = 30 * time.Second
	}
	request.Header.Set("Prefer", fmt.Sprintf("wait=%d", wait/time.Second))
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "offsetd-go/1")
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if asked.etag != "" {
		request.Header.Set("If-None-Match", asked.etag)
	}
	if c.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	received, err := c.http.Do(request) // requests and decodes gzip
	if err != nil {
		return unreachable(err)
	}
	defer received.Body.Close()
	text, err := io.ReadAll(io.LimitReader(received.Body, c.options.MaxResponse+1))
	if err != nil {
		return unreachable(err)
	}
	if int64(len(text)) > c.options.MaxResponse {
		detail := fmt.Sprintf("the response has more than %d bytes", c.options.MaxResponse)
		return response{problem: &Error{Reason: Unexpected, Status: received.StatusCode, Detail: detail}}
	}
	r := response{received.StatusCode, received.Header.Get("ETag"), text, nil}
	if r.status != http.StatusOK && r.status != http.StatusNotModified {
		// The other form of Retry-After, a date, is not read.
		seconds, _ := strconv.ParseUint(received.Header.Get("Retry-After"), 10, 24)
		r.problem = problem(r.status, text, time.Duration(seconds)*time.Second)
	}
	return r
}

func unreachable(err error) response {
	var failed *url.Error
	if errors.As(err, &failed) { // its text has the whole URL
		err = failed.Err
	}
	return response{problem: &Error{Reason: Unreachable, Detail: err.Error(), cause: err}}
}

// backoff returns how long the server is not to be asked, and why.
func (c *Client) backoff() (time.Duration, Error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.last == nil {
		return 0, Error{}
	}
	return time.Until(c.notBefore), *c.last
}

func (c *Client) succeeded() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.failures = 0
}

// failed returns how long no goroutine asks the server: exponential, with jitter, and at least as long as it demands.
func (c *Client) failed(why Error) time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delay := longestDelay
	if c.failures < 9 {
		delay = firstDelay << c.failures
	}
	if delay > longestDelay {
		delay = longestDelay
	}
	delay = c.jitter(delay, 0.5, 1)
	demanded := why.RetryAfter
	if demanded > longestDelay {
		demanded = longestDelay
	}
	if demanded = c.jitter(demanded, 1, 1.25); demanded > delay {
		delay = demanded
	}
	c.failures++
	if next := time.Now().Add(delay); next.After(c.notBefore) {
		c.notBefore, c.last = next, &why
	}
	return time.Until(c.notBefore)
}

// spread returns a pause that differs between clients and is at least as long as demanded.
func (c *Client) spread(pause time.Duration) time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if pause < 100*time.Millisecond {
		pause = 100 * time.Millisecond
	}
	return c.jitter(pause, 1, 1.25)
}

// jitter needs the mutex.
func (c *Client) jitter(d time.Duration, least, most float64) time.Duration {
	return time.Duration(float64(d) * (least + (most-least)*c.random.Float64()))
}

// sleep reports whether the pause ended before the given time.
func sleep(ctx context.Context, pause time.Duration, end time.Time) bool {
	if pause > time.Until(end) {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
