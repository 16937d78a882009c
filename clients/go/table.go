// SPDX-License-Identifier: Apache-2.0

package offsetd

import (
	"encoding/json"
	"fmt"
	"strings"
)

// table has answers by build-id, and by runtime, version and machine.
type table map[string]*body

func newTable(text []byte) (table, error) {
	if text == nil {
		return nil, nil
	}
	var read map[string]*body
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("fallback table: %w", err)
	}
	t := table{}
	for name, b := range read {
		if b == nil || b.SchemaVersion != 1 || b.Offsets == nil {
			return nil, fmt.Errorf("fallback %q is not an answer of schema version 1", name)
		}
		if b.Consensus != nil {
			return nil, fmt.Errorf("fallback %q is a consensus: its values are those of other builds", name)
		}
		if buildID, err := key(name); err == nil {
			if parsed := b.BuildID; parsed != buildID && !isAlias(buildID) {
				return nil, fmt.Errorf("fallback %q is the answer for build %q", name, parsed)
			}
			t[buildID] = b
			continue
		}
		parts := strings.Split(name, " ")
		if len(parts) != 3 {
			return nil, fmt.Errorf("fallback %q: expected a build-id, or runtime, version and machine: \"ruby 3.4.5 x86_64\"", name)
		}
		if parts[2] != b.Arch.Machine {
			return nil, fmt.Errorf("fallback %q is the answer for machine %q", name, b.Arch.Machine)
		}
		if b.Pinned != nil {
			return nil, fmt.Errorf("fallback %q has pinned values, which are of one build", name)
		}
		if b.Map != nil {
			return nil, fmt.Errorf("fallback %q has a name map: addresses among its values differ between builds of one version", name)
		}
		for item := range b.Offsets {
			if o := b.value(item).object; o.TLS != nil || o.Symbols != nil || o.ofVariable() {
				return nil, fmt.Errorf("fallback %q has %q: addresses differ between builds of one version", name, item)
			}
		}
		t[name] = b
	}
	return t, nil
}

// entry returns the answer for a build, or for its program; nil if there is none.
func (t table) entry(buildID string, program Program) *body {
	if b := t[buildID]; b != nil || program.Name == "" || program.Version == "" || program.Machine == "" {
		return b
	}
	return t[program.Name+" "+program.Version+" "+program.Machine]
}
