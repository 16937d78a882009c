// Package offsetd is a client of offsetd: struct offsets, sizes and symbols by ELF build-id.
//
// Answers come from the server, else from a cache on the disk, else from a table that the program ships.
package offsetd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Source says where an answer comes from.
type Source string

const (
	Server      Source = "server"
	Revalidated Source = "revalidated" // from the cache; the server confirmed that it is current
	Cached      Source = "cache"       // from the cache; the server gave no answer
	Fallback    Source = "fallback"
)

const (
	longestURL   = 4000 // some proxies refuse longer ones; the items go into a body then
	firstDelay   = time.Second
	longestDelay = 5 * time.Minute
	grace        = 2 * time.Second // for a response beyond the wait that the server was asked for
)

// Value is the answer for one item. Status is "found", "consensus" if the answer has a Consensus, or says why the item is missing.
type Value struct {
	Status string
	Raw    json.RawMessage // the JSON of the item: its numbers, or an object
	place  []*uint64
}

// Found reports whether the build has the item, by consensus or exactly.
func (v Value) Found() bool { return v.Status == "found" || v.Status == "consensus" }

// Offset returns the offset in bytes from the start of the outermost type. It is false if the item is missing or has none.
func (v Value) Offset() (uint64, bool) { return v.number(0, 2) }

// Size returns the size in bytes. It is false if the item is missing or the build does not give its size.
func (v Value) Size() (uint64, bool) { return v.number(1, 2) }

// BitField returns the position and width in bits, in memory order. It is false for everything but bit-fields.
func (v Value) BitField() (bitOffset, bitSize uint64, ok bool) {
	bitOffset, ok = v.number(2, 4)
	if ok {
		bitSize, ok = v.number(3, 4)
	}
	return bitOffset, bitSize, ok
}

func (v Value) number(index, least int) (uint64, bool) {
	if len(v.place) < least || v.place[index] == nil {
		return 0, false
	}
	return *v.place[index], true
}

func value(raw json.RawMessage) Value {
	var place []*uint64
	if json.Unmarshal(raw, &place) == nil && (len(place) == 2 || len(place) == 4) && place[0] != nil {
		return Value{"found", raw, place}
	}
	var object struct{ Status string }
	if json.Unmarshal(raw, &object) == nil && object.Status != "" {
		return Value{object.Status, raw, nil}
	}
	return Value{"malformed", raw, nil}
}

// Answer has the values by item. An item that a fallback table lacks has the status "not_answered".
type Answer struct {
	Values     map[string]Value
	Source     Source
	Complete   bool          // every requested item was found
	Stale      bool          // may be outdated: use it, and ask again soon
	Consensus  *Consensus    // what the values rest on if they are not exact; nil if they are
	Problem    string        // why the server gave no answer; empty if it gave one
	RetryAfter time.Duration // when to ask again; 0 if the server did not say
}

// Value returns the answer for an item.
func (a *Answer) Value(item string) Value {
	if v, ok := a.Values[item]; ok {
		return v
	}
	return Value{Status: "not_answered"}
}

type body struct {
	SchemaVersion int
	BuildID       string
	Complete      bool
	Stale         bool
	Consensus     *Consensus
	Offsets       map[string]json.RawMessage
}

func parse(text []byte, buildID string) *body {
	var b body
	if json.Unmarshal(text, &b) != nil || b.SchemaVersion != 1 || b.Offsets == nil ||
		(b.BuildID != buildID && !isAlias(buildID)) {
		return nil
	}
	return &b
}

func (b *body) answer(source Source) *Answer {
	a := &Answer{Values: map[string]Value{}, Source: source, Complete: b.Complete, Stale: b.Stale || source == Cached,
		Consensus: b.Consensus}
	for item, raw := range b.Offsets {
		v := value(raw)
		if b.Consensus != nil && v.place != nil {
			v.Status = "consensus"
		}
		a.Values[item] = v
	}
	return a
}

// Options of a client; the zero value is usable.
type Options struct {
	Token       string        // with scope "read", if the server requires one
	Wait        time.Duration // for a build that is being fetched, or a busy server; 2 s if 0
	MaxResponse int64         // bytes of the largest response; 8 MiB if 0
	MaxCache    int64         // bytes of all files of the cache; 64 MiB if 0
	Transport   http.RoundTripper
}

// Client of one server. Goroutines may share it.
type Client struct {
	server   string
	cache    cache
	fallback map[string]*body
	options  Options
	http     http.Client

	mutex     sync.Mutex
	random    *rand.Rand
	failures  int
	notBefore time.Time
}

// New returns a client. The fallback table is a JSON object with answers by build-id, or by a name that the caller chooses,
// such as "ruby 3.4"; it may be nil.
func New(server, cacheDir string, fallback []byte, options Options) (*Client, error) {
	if options.Wait == 0 {
		options.Wait = 2 * time.Second
	}
	if options.MaxResponse == 0 {
		options.MaxResponse = 8 << 20
	}
	if options.MaxCache == 0 {
		options.MaxCache = 64 << 20
	}
	c := &Client{server: strings.TrimRight(server, "/"), cache: cache{cacheDir, options.MaxCache}, options: options,
		random: rand.New(rand.NewSource(time.Now().UnixNano()))}
	// Following a redirect could carry the token to another server.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http.Transport = options.Transport
	if fallback != nil {
		if err := json.Unmarshal(fallback, &c.fallback); err != nil {
			return nil, fmt.Errorf("fallback table: %w", err)
		}
	}
	for name, b := range c.fallback {
		if b == nil || b.SchemaVersion != 1 || b.Offsets == nil {
			return nil, fmt.Errorf("fallback %q is not an answer of schema version 1", name)
		}
	}
	return c, nil
}

// RequestError says that the server calls the request malformed; repeating it is useless.
type RequestError struct {
	Status int
	Detail string
}

func (e *RequestError) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Detail) }

// Offsets returns the answer for items of a build, which a GNU build-id or an alias key names. Name is the key of the fallback table to use if it has no entry for the
// build-id. The error is a *RequestError, or says why no source has an answer.
func (c *Client) Offsets(ctx context.Context, buildID string, items []string, name string) (*Answer, error) {
	return c.offsets(ctx, buildID, items, name, "")
}

// OffsetsOrConsensus is Offsets for callers that accept an answer by consensus of similar builds if no source has debug
// information of this one. Consensus of the answer says whether it is one. The claim counts only if the server does not know the
// file of the build.
func (c *Client) OffsetsOrConsensus(ctx context.Context, buildID string, items []string, name string, claim Claim) (*Answer, error) {
	return c.offsets(ctx, buildID, items, name, claim.query())
}

func (c *Client) offsets(ctx context.Context, buildID string, items []string, name, consent string) (*Answer, error) {
	buildID, err := key(buildID)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errors.New("no items")
	}
	query := url.Values{"view": {"flat"}, "types": {strings.Join(items, ",")}}
	target := c.server + "/v1/offsets/" + buildID + "?" + query.Encode() + consent
	etag, stored := c.cache.read(target)
	old := parse(stored, buildID)
	if old == nil {
		etag = ""
	}
	r := c.exchange(ctx, target, buildID, items, consent, etag)
	switch r.status {
	case http.StatusOK:
		if fresh := parse(r.body, buildID); fresh != nil {
			c.cache.write(target, r.etag, r.body)
			return fresh.answer(Server), nil
		}
		r.problem = "the response is not an answer for this build"
	case http.StatusNotModified:
		if old != nil {
			return old.answer(Revalidated), nil
		}
	case http.StatusBadRequest, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge:
		if len(r.body) > 500 {
			r.body = r.body[:500]
		}
		return nil, &RequestError{r.status, string(r.body)}
	}
	if r.problem == "" {
		r.problem = fmt.Sprintf("status %d", r.status)
	}
	a := c.Fallback(buildID, name)
	if old != nil {
		a = old.answer(Cached)
	}
	if a == nil {
		return nil, fmt.Errorf("build %s: %s", buildID, r.problem)
	}
	a.Problem, a.RetryAfter = r.problem, r.retryAfter
	return a, nil
}

// Fallback returns the entry of the fallback table, for single values that an answer lacks; nil if there is none.
func (c *Client) Fallback(buildID, name string) *Answer {
	if canonical, err := key(buildID); err == nil {
		buildID = canonical
	}
	b := c.fallback[buildID]
	if b == nil {
		b = c.fallback[name]
	}
	if b == nil {
		return nil
	}
	return b.answer(Fallback)
}

// response has the status 0 and a problem if there is none.
type response struct {
	status     int
	etag       string
	retryAfter time.Duration
	body       []byte
	problem    string
}

// exchange sends the request until there is a result or the time is over.
func (c *Client) exchange(ctx context.Context, key, buildID string, items []string, consent, etag string) response {
	end := time.Now().Add(c.options.Wait)
	for {
		if pause := c.pause(); pause > 0 {
			if !sleep(ctx, pause, end) {
				return response{retryAfter: pause, problem: "the server failed recently; not asked"}
			}
		}
		r := c.once(ctx, key, buildID, items, consent, etag, time.Until(end))
		switch {
		case r.status == http.StatusAccepted:
			c.succeeded()
			pause := r.retryAfter
			if pause < 100*time.Millisecond {
				pause = 100 * time.Millisecond
			}
			if !sleep(ctx, c.spread(pause), end) {
				return r
			}
		case r.status == 0 || r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError:
			if ctx.Err() != nil { // the caller gave up; that says nothing about the server
				return r
			}
			if !sleep(ctx, c.failed(r.retryAfter), end) {
				return r
			}
		default:
			c.succeeded()
			return r
		}
	}
}

func (c *Client) once(ctx context.Context, key, buildID string, items []string, consent, etag string, left time.Duration) response {
	if left < 0 {
		left = 0
	}
	ctx, cancel := context.WithTimeout(ctx, left+grace)
	defer cancel()
	method, target, content := "GET", key, []byte(nil)
	if len(key) > longestURL {
		method, target = "POST", c.server+"/v1/offsets/"+buildID+"?view=flat"+consent
		content, _ = json.Marshal(items)
	}
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(content))
	if err != nil {
		return response{problem: err.Error()}
	}
	wait := left.Round(time.Second)
	if wait > 30*time.Second {
		wait = 30 * time.Second
	}
	request.Header.Set("Prefer", fmt.Sprintf("wait=%d", wait/time.Second))
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "offsetd-go/1")
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	} else if etag != "" {
		request.Header.Set("If-None-Match", etag)
	}
	if c.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.options.Token)
	}
	received, err := c.http.Do(request) // requests and decodes gzip
	if err != nil {
		return response{problem: err.Error()}
	}
	defer received.Body.Close()
	text, err := io.ReadAll(io.LimitReader(received.Body, c.options.MaxResponse+1))
	if err != nil {
		return response{problem: err.Error()}
	}
	if int64(len(text)) > c.options.MaxResponse {
		return response{problem: fmt.Sprintf("the response has more than %d bytes", c.options.MaxResponse)}
	}
	// The other form of Retry-After, a date, is not read.
	seconds, _ := strconv.ParseUint(received.Header.Get("Retry-After"), 10, 24)
	return response{received.StatusCode, received.Header.Get("ETag"), time.Duration(seconds) * time.Second, text, ""}
}

func (c *Client) pause() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.Until(c.notBefore)
}

func (c *Client) succeeded() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.failures = 0
}

// failed returns how long no goroutine asks the server: exponential, with jitter, and at least as long as it demands.
func (c *Client) failed(retryAfter time.Duration) time.Duration {
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
	if retryAfter > longestDelay {
		retryAfter = longestDelay
	}
	if demanded := c.jitter(retryAfter, 1, 1.25); demanded > delay {
		delay = demanded
	}
	c.failures++
	if next := time.Now().Add(delay); next.After(c.notBefore) {
		c.notBefore = next
	}
	return time.Until(c.notBefore)
}

// spread returns a pause that differs between clients and is at least as long as demanded.
func (c *Client) spread(pause time.Duration) time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
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
