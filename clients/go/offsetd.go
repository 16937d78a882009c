// SPDX-License-Identifier: Apache-2.0

// Package offsetd is a client of offsetd: struct offsets, sizes and symbols by ELF build-id.
//
// An answer comes from one place: the server, else a cache on the disk, else a table that the program ships. It has every
// required item, or there is an error.
package offsetd

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Query asks for items of one build.
type Query struct {
	BuildID   string   // a GNU build-id, or an alias key
	Items     []string // required: without one of them there is no answer. For a type set, those that it requires
	Optional  []string // items that the caller can do without; with a NameMap, names of it
	NameMap   string   // the name map of the only item, a type set; the values are then under its names
	Program   Program  // chooses the entry of the fallback table, and states the program for a consensus
	Consensus bool     // accepts an answer by consensus of similar builds, which Answer.Consensus describes
}

// Program is what the caller knows of a program. Empty parts are not stated.
type Program struct {
	Name    string   // of the runtime: "ruby"
	Version string   // of the runtime, as complete as the fallback table has it: "3.4.5"
	Machine string   // as uname -m prints it: "x86_64"
	Tokens  []string // of its variant, for a consensus only: "ruby.yjit=yes"
}

// Result is that of one query of a batch.
type Result struct {
	Answer *Answer
	Err    error
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
	server  string
	cache   cache
	table   table
	options Options
	http    http.Client

	mutex     sync.Mutex
	random    *rand.Rand
	failures  int
	last      *Error // why notBefore is in the future
	notBefore time.Time
}

// New returns a client. The fallback table is a JSON object with answers by build-id, or by runtime, version and machine, such as
// "ruby 3.4.5 x86_64"; it may be nil.
func New(server, cacheDir string, fallback []byte, options Options) (*Client, error) {
	if err := checkServer(server); err != nil {
		return nil, err
	}
	if strings.IndexFunc(options.Token, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 {
		return nil, errors.New("the token has a space, a line end or a character beyond ASCII")
	}
	table, err := newTable(fallback)
	if err != nil {
		return nil, err
	}
	if options.Wait == 0 {
		options.Wait = 2 * time.Second
	}
	if options.MaxResponse == 0 {
		options.MaxResponse = 8 << 20
	}
	if options.MaxCache == 0 {
		options.MaxCache = 64 << 20
	}
	c := &Client{server: strings.TrimRight(server, "/"), cache: cache{cacheDir, options.MaxCache}, table: table,
		options: options, random: rand.New(rand.NewSource(time.Now().UnixNano()))}
	// Following a redirect could carry the token to another server.
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http.Transport = options.Transport
	return c, nil
}

func checkServer(server string) error {
	u, err := url.Parse(server)
	if err == nil && u.Port() != "" {
		_, err = strconv.ParseUint(u.Port(), 10, 16)
	}
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil ||
		strings.ContainsAny(server, "?# ") {
		return fmt.Errorf("server %q: expected http:// or https://, a host, and a port or path if there is one", server)
	}
	return nil
}

// Offsets returns an answer with every required item. The error is an *Error.
func (c *Client) Offsets(ctx context.Context, query Query) (*Answer, error) {
	t, err := c.task(query)
	if err != nil {
		return nil, err
	}
	return c.settle(t, c.exchange(ctx, c.request(t), t.end(c.options.Wait)))
}

// batchSize is the number of queries that the server takes at once.
const batchSize = 50

// Batch returns the results of queries, in their order. All builds are waited for together.
func (c *Client) Batch(ctx context.Context, queries []Query) []Result {
	results := make([]Result, len(queries))
	var tasks []*task
	end := time.Now()
	for i, query := range queries {
		t, err := c.task(query)
		if err != nil {
			results[i].Err = err
			continue
		}
		t.result = &results[i]
		tasks = append(tasks, t)
		if e := t.end(c.options.Wait); e.After(end) {
			end = e
		}
	}
	for len(tasks) > 0 {
		count := len(tasks)
		if count > batchSize {
			count = batchSize
		}
		c.batch(ctx, tasks[:count], end)
		tasks = tasks[count:]
	}
	return results
}

func (c *Client) batch(ctx context.Context, tasks []*task, end time.Time) {
	for {
		var fetching []*task
		var pause time.Duration
		for i, r := range replies(c.exchange(ctx, c.batchRequest(tasks), end), len(tasks)) {
			t := tasks[i]
			t.result.Answer, t.result.Err = c.settle(t, r)
			cached := t.result.Answer != nil && t.result.Answer.Source == Cached
			if r.problem != nil && r.problem.Reason == Fetching && !cached {
				fetching = append(fetching, t)
				if r.problem.RetryAfter > pause {
					pause = r.problem.RetryAfter
				}
			}
		}
		if len(fetching) == 0 || !sleep(ctx, c.spread(pause), end) {
			return
		}
		tasks = fetching
	}
}

// task is a query, what the cache has of it, and the place of its result in a batch.
type task struct {
	Query
	key    string // of the cache, and the URL without the server
	etag   string
	old    *body
	result *Result
}

// end is when to stop waiting for the server: at once if the cache has an answer.
func (t *task) end(wait time.Duration) time.Time {
	if t.old != nil && len(t.missing(t.old)) == 0 {
		return time.Now()
	}
	return time.Now().Add(wait)
}

func (c *Client) task(query Query) (*task, error) {
	buildID, err := key(query.BuildID)
	if err != nil {
		return nil, &Error{Reason: BadRequest, Detail: err.Error()}
	}
	query.BuildID = buildID
	if len(query.Items) == 0 {
		return nil, &Error{Reason: BadRequest, Detail: "no items"}
	}
	if query.NameMap != "" && (len(query.Items) != 1 || !isSet(query.Items[0])) {
		return nil, &Error{Reason: BadRequest, Detail: "a name map is of one item, a type set"}
	}
	t := &task{Query: query}
	t.key = "/v1/offsets/" + buildID + "?" + t.parameters(true)
	if etag, stored := c.cache.read(t.key); stored != nil {
		if t.old = parse(stored, buildID); t.old != nil {
			t.etag = etag
		}
	}
	return t, nil
}

// asked returns the items of the request.
func (q *Query) asked() []string {
	if q.NameMap != "" {
		return q.Items
	}
	return append(append([]string(nil), q.Items...), q.Optional...)
}

// parameters returns those of the request, in an order that all clients share.
func (q *Query) parameters(types bool) string {
	values := url.Values{"view": {"flat"}}
	if q.NameMap != "" {
		values.Set("view", "map")
		values.Set("map", q.NameMap)
	}
	if types {
		values.Set("types", strings.Join(q.asked(), ","))
	}
	text := values.Encode()
	for _, claim := range q.claims() {
		text += "&" + claim[0] + "=" + url.QueryEscape(claim[1])
	}
	return text
}

// claims returns the parameters of a request that accepts a consensus, with their names.
func (q *Query) claims() [][2]string {
	if !q.Consensus {
		return nil
	}
	claims := [][2]string{{"fallback", "consensus"}}
	for _, claim := range [][2]string{{"name", q.Program.Name}, {"version", q.Program.Version},
		{"machine", q.Program.Machine}, {"tokens", strings.Join(q.Program.Tokens, ",")}} {
		if claim[1] != "" {
			claims = append(claims, claim)
		}
	}
	return claims
}

// settle returns the answer from the first place that has one, if it has every required item.
func (c *Client) settle(t *task, r response) (*Answer, error) {
	b, source, problem := t.old, Cached, r.problem
	switch {
	case r.status == http.StatusOK:
		if fresh := parse(r.body, t.BuildID); fresh != nil {
			c.cache.write(t.key, r.etag, r.body)
			b, source = fresh, Server
		} else {
			problem = &Error{Reason: Unexpected, Status: r.status, Detail: "the response is not an answer for this build"}
		}
	case r.status == http.StatusNotModified && b != nil:
		source = Revalidated
	case problem.Reason == BadRequest:
		return nil, problem
	}
	if b != nil {
		missing := t.missing(b)
		if len(missing) == 0 {
			return b.answer(source, problem), nil
		}
		problem = notCovered(missing)
		if lacks(missing) { // what a similar build has says nothing
			return nil, problem
		}
	}
	if entry := c.table.entry(t.BuildID, t.Program); entry != nil && len(t.missing(entry)) == 0 {
		return entry.answer(Fallback, problem), nil
	}
	return nil, problem
}
