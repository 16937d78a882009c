// SPDX-License-Identifier: Apache-2.0

package offsetd

// Consensus describes the builds that an answer rests on if no source has debug information of the build itself.
type Consensus struct {
	Project   string
	Version   string
	Claimed   bool // a part of what the server knows of the build is a claim of the caller
	Agreement struct {
		Builds        int    // those of one uploader count as one
		Distinct      int    // 1 if they agree in every item
		Below, Above  string // the nearest versions among them
		Distributions []string
		Origins       []string // of their debug files: "debuginfod", "local" or "upload"
		Tokens        int      // that uploaded them; 0 if none was uploaded
	}
}
