// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"
)

// Source says where an answer comes from.
type Source string

const (
	Server      Source = "server"
	Revalidated Source = "revalidated" // from the cache; the server confirmed that it is current
	Cached      Source = "cache"       // from the cache; the server gave no answer
	Fallback    Source = "fallback"    // from the table
)

// Answer has the values of a query, all from one source.
type Answer struct {
	Values    map[string]Value
	Source    Source
	Arch      Arch
	Complete  bool       // every requested item was found
	Stale     bool       // may be outdated: use it, and ask again soon
	Consensus *Consensus // what the values rest on if they are not exact; nil if they are
	Problem   *Error     // why the answer is not the server's; nil if it is
}

// Arch is the architecture of a build; zero if the server has nothing but pins of it.
type Arch struct {
	Machine   string // as uname -m prints it
	Bits      int
	ByteOrder string // "little" or "big"
}

// Value returns the answer for an item, or for a name of a name map. Its status is "not_answered" if there is none.
func (a *Answer) Value(item string) Value {
	if v, ok := a.Values[item]; ok {
		return v
	}
	return Value{Status: "not_answered"}
}

// Covered reports whether the answer has all of these items; for a type set, all that it requires. It decides on optional items
// that are of use only together.
func (a *Answer) Covered(items ...string) bool {
	for _, item := range items {
		if len(a.Value(item).missing(item)) > 0 {
			return false
		}
	}
	return true
}

// Value is the answer for one item. Status is "found", "consensus" if the answer has a Consensus, or says why the item is missing.
// A missing item has no numbers.
type Value struct {
	Status string
	Raw    json.RawMessage // the JSON of the item
	// Incomplete says that a damaged part of the file, which was left out, may change the value.
	Incomplete bool
	place      []*uint64
	number     *int64
	object     object
}

type object struct {
	Status    string
	Value     json.RawMessage
	Symbols   []Symbol
	TLS       *TLS
	Coverage  *Coverage
	Truncated bool
	Plan
	Offset *int64
}

// Found reports whether the build has the item, by consensus or exactly. A type set is found if the server knows it; Covered says
// whether the build has it.
func (v Value) Found() bool { return v.Status == "found" || v.Status == "consensus" }

// Offset returns the offset in bytes from the start of the outermost type. It is false for bit-fields, whose place is not whole
// bytes.
func (v Value) Offset() (uint64, bool) { return v.at(0, 2) }

// Size returns the size in bytes. It is false if the build does not give it, and for bit-fields.
func (v Value) Size() (uint64, bool) { return v.at(1, 2) }

// BitField returns the place of a bit-field. It is false for everything else.
func (v Value) BitField() (BitField, bool) {
	var f BitField
	for i, number := range []*uint64{&f.Offset, &f.Size, &f.BitOffset, &f.BitSize} {
		n, ok := v.at(i, 4)
		if !ok {
			return BitField{}, false
		}
		*number = n
	}
	return f, true
}

func (v Value) at(index, length int) (uint64, bool) {
	if len(v.place) != length || v.place[index] == nil {
		return 0, false
	}
	return *v.place[index], true
}

// Number returns the value of an enumerator, or of a name of a name map. That of an enumeration of 8 bytes is its bits: convert it
// to uint64 if the enumeration has no sign.
func (v Value) Number() (int64, bool) {
	if v.number == nil {
		return 0, false
	}
	return *v.number, true
}

// Symbols returns the symbols that answer an item, none if it is missing. It is false if they are not all listed.
func (v Value) Symbols() ([]Symbol, bool) { return v.object.Symbols, !v.object.Truncated }

// Plan returns how to read a value behind pointers, or a variable or a member of one, also of a name of a name map. It is false for
// everything else.
func (v Value) Plan() (Plan, bool) {
	p := v.object.Plan
	if p.Steps == nil && p.ofVariable() && v.object.Offset != nil {
		p.Steps = []Step{{Offset: *v.object.Offset}}
		p.BitOffset %= 8
	}
	return p, p.Steps != nil
}

// TLS returns the segment of thread-local variables, if the item is "tls" and the build has one.
func (v Value) TLS() (TLS, bool) {
	if v.object.TLS == nil {
		return TLS{}, false
	}
	return *v.object.TLS, true
}

// Coverage returns how much of a type set the build has.
func (v Value) Coverage() (Coverage, bool) {
	if v.object.Coverage == nil {
		return Coverage{}, false
	}
	return *v.object.Coverage, true
}

// Plan is the way from the address of a variable, or of an object of a type, to a value.
type Plan struct {
	Steps              []Step
	Size               uint64 // bytes of the value; 0 if unknown
	BitOffset, BitSize uint64 // of a bit-field, in memory order from where the steps lead to; BitSize is 0 for all else
	Signed             bool
	Symbol             string  // of the variable; empty for a type, and if the file has no symbol of it
	Address            Address // of the variable; 0 if it is thread-local
	ThreadLocal        bool    // the first offset counts from the start of the block of the module
	ByteOrder          string  // "big" or "little" if the value has not the byte order of the build, else empty
}

// ofVariable reports whether the plan starts at a variable.
func (p Plan) ofVariable() bool { return p.Symbol != "" || p.Address != 0 }

// Step adds Offset to the address so far; or, with a PointerSize, reads a pointer of this size from there, which is the next address.
type Step struct {
	Offset      int64
	PointerSize uint64
}

// BitField is the place of a bit-field: the bytes to load, and the bits in memory order from the start of the outermost type.
type BitField struct {
	Offset, Size       uint64
	BitOffset, BitSize uint64
}

// Extract returns the field's bits of a load: the Size bytes at Offset, as one number in the byte order of the build.
func (f BitField) Extract(load uint64, bigEndian bool) uint64 {
	shift := f.BitOffset % 8
	if bigEndian {
		shift = 8*f.Size - shift - f.BitSize
	}
	return load >> shift & (1<<f.BitSize - 1)
}

// Address is an ELF virtual address; of a thread-local variable an offset into the TLS segment.
type Address uint64

// UnmarshalJSON reads a hex string.
func (a *Address) UnmarshalJSON(text []byte) error {
	number, err := strconv.ParseUint(strings.Trim(string(text), `"`), 0, 64)
	*a = Address(number)
	return err
}

// Symbol of a file.
type Symbol struct {
	Name     string
	Version  string // empty if it has none
	Value    Address
	Size     uint64 // 0 if unknown
	Type     string // "FUNC", "OBJECT", "TLS", ...
	Binding  string // "GLOBAL", "UNIQUE", "WEAK", "LOCAL"
	Section  string // "UND": imported
	Imported bool   // another file defines it

	Offset     uint64  // bytes from its start to the address that was asked for
	FileOffset Address // of its first byte in the file of the program; 0 if that is not known
}

// TLS is the segment of thread-local variables (PT_TLS).
type TLS struct {
	Address    Address
	MemorySize uint64
	Alignment  uint64
}

// Coverage says how much of a type set a build has.
type Coverage struct {
	Required, Optional Share
	Missing            []Missing
}

// Share is the part of the items of a set that a build has. A group counts as one.
type Share struct{ Found, Of int }

// Missing is an item that a build lacks, or a group of alternatives, each of which lacks one of Items.
type Missing struct {
	Item   string
	Status string
	Group  string
	Items  []Missing
	Need   string // "required" or "optional", in a Coverage
}

func (m Missing) String() string {
	if m.Group != "" {
		return m.Group
	}
	return m.Item + " (" + m.Status + ")"
}

// lacks reports whether the build is known not to have one of these. It is not if something hides it, such as missing debug
// information.
func lacks(missing []Missing) bool {
	for _, m := range missing {
		if m.Status == "type_not_found" || m.Status == "field_not_found" || lacks(m.Items) {
			return true
		}
	}
	return false
}

func isSet(item string) bool { return strings.HasPrefix(item, "@") }

// missing returns what the build lacks of an item.
func (v Value) missing(item string) []Missing {
	if !v.Found() {
		return []Missing{{Item: item, Status: v.Status}}
	}
	if !isSet(item) {
		return nil
	}
	coverage, ok := v.Coverage()
	if !ok {
		return []Missing{{Item: item, Status: "malformed"}}
	}
	var missing []Missing
	for _, m := range coverage.Missing {
		if m.Need == "required" {
			missing = append(missing, m)
		}
	}
	if missing == nil && coverage.Required.Found < coverage.Required.Of {
		missing = append(missing, Missing{Item: item, Status: "malformed"})
	}
	return missing
}

func value(raw json.RawMessage, exact bool) Value {
	found := "found"
	if !exact {
		found = "consensus"
	}
	v := Value{Status: "malformed", Raw: raw}
	var place []*uint64
	var object object
	switch {
	case json.Unmarshal(raw, &place) == nil:
		if (len(place) == 2 || len(place) == 4) && place[0] != nil {
			v.Status, v.place = found, place
		}
	case json.Unmarshal(raw, &object) == nil:
		if object.Status != "" {
			v.Status = object.Status
		} else if object.Plan.Steps != nil { // of a name map
			v.Status = found
		}
		if v.Found() {
			v.object, v.number = object, number(object.Value)
		}
	default:
		if v.number = number(raw); v.number != nil {
			v.Status = found
		}
	}
	return v
}

// number reads a JSON number, or a string with one in hex, which may have 64 bits.
func number(raw json.RawMessage) *int64 {
	text := strings.Trim(string(raw), `"`)
	n, err := strconv.ParseInt(text, 0, 64)
	if bits, tooLarge := strconv.ParseUint(text, 0, 64); err != nil && tooLarge == nil {
		n, err = int64(bits), nil
	}
	if err != nil {
		return nil
	}
	return &n
}

// body is an answer as the server sends it.
type body struct {
	SchemaVersion int
	BuildID       string
	Arch          Arch
	Complete      bool
	Stale         bool
	Consensus     *Consensus
	Map           *struct{ Set, Name string }
	Offsets       map[string]json.RawMessage
	// Those whose value a damaged part of the file may change.
	IncompleteItems []string
	Pinned          json.RawMessage
}

// parse returns the answer for a build, or nil if the text is not one.
func parse(text []byte, buildID string) *body {
	var b body
	if json.Unmarshal(text, &b) != nil || b.SchemaVersion != 1 || b.Offsets == nil ||
		(b.BuildID != buildID && !isAlias(buildID)) {
		return nil
	}
	return &b
}

func (b *body) value(item string) Value {
	if raw, ok := b.Offsets[item]; ok {
		v := value(raw, b.Consensus == nil)
		for _, whole := range b.IncompleteItems {
			v.Incomplete = v.Incomplete || item == whole || strings.HasPrefix(item, whole+".")
		}
		return v
	}
	return Value{Status: "not_answered"}
}

func (b *body) answer(source Source, problem *Error) *Answer {
	a := &Answer{Values: map[string]Value{}, Source: source, Arch: b.Arch, Complete: b.Complete,
		Stale: b.Stale || source == Cached, Consensus: b.Consensus, Problem: problem}
	for item := range b.Offsets {
		a.Values[item] = b.value(item)
	}
	return a
}

// missing returns what an answer lacks of the required items.
func (q *Query) missing(b *body) []Missing {
	var missing []Missing
	if q.NameMap == "" {
		for _, item := range q.Items {
			missing = append(missing, b.value(item).missing(item)...)
		}
		return missing
	}
	if b.Map == nil || b.Map.Name != q.NameMap || "@"+b.Map.Set != q.Items[0] {
		return []Missing{{Item: q.Items[0], Status: "not_answered"}}
	}
	optional := map[string]bool{}
	for _, name := range q.Optional {
		optional[name] = true
	}
	for name := range b.Offsets {
		if v := b.value(name); !v.Found() && !optional[name] {
			missing = append(missing, Missing{Item: name, Status: v.Status})
		}
	}
	sort.Slice(missing, func(i, j int) bool { return missing[i].Item < missing[j].Item })
	return missing
}
