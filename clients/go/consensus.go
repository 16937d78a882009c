package offsetd

import (
	"net/url"
	"strings"
)

// Consensus describes the builds that an answer rests on if no source has debug information of the build itself.
type Consensus struct {
	Project   string
	Version   string
	Claimed   bool // a part of what the server knows of the build is a Claim
	Agreement struct {
		Builds        int    // those of one uploader count as one
		Distinct      int    // 1 if they agree in every item
		Below, Above  string // the nearest versions among them
		Distributions []string
		Origins       []string // of their debug files: "debuginfod", "local" or "upload"
		Tokens        int      // that uploaded them; 0 if none was uploaded
	}
}

// Claim says what a program is, for the case that the server does not know its file. Empty parts are not claimed.
type Claim struct {
	Name    string   // of the project or the file
	Version string   // of the project
	Machine string   // as uname -m prints it
	Tokens  []string // of its variant: "ruby.yjit=yes"
}

// query returns the parameters of a request that accepts a consensus.
func (c *Claim) query() string {
	text := "&fallback=consensus"
	for _, part := range []struct{ name, value string }{
		{"name", c.Name}, {"version", c.Version}, {"machine", c.Machine}, {"tokens", strings.Join(c.Tokens, ",")}} {
		if part.value != "" {
			text += "&" + part.name + "=" + url.QueryEscape(part.value)
		}
	}
	return text
}
