// SPDX-License-Identifier: Apache-2.0
// Command offsets URL BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE] prints the source of the values, then each value.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"time"

	offsetd "offsetd.dev/clients/go"
)

// field is one value that the eBPF program needs.
type field struct {
	name string
	item string
	size bool   // the size, not the offset
	most uint64 // maximum of the field in the eBPF program
}

var fields = []field{
	{"ec_vm_stack", "rb_execution_context_struct.vm_stack", false, 1<<8 - 1},
	{"ec_cfp", "rb_execution_context_struct.cfp", false, 1<<8 - 1},
	{"cfp_size", "rb_control_frame_struct", true, 1<<8 - 1},
	{"iseq_body", "rb_iseq_struct.body", false, 1<<8 - 1},
	{"vm_objspace", "rb_vm_struct.gc.objspace|rb_vm_struct.objspace", false, 1<<16 - 1},
}

// fallback has answers of real builds, for programs that the server does not answer for.
//
//go:embed fallback.json
var fallback []byte

func main() {
	if len(os.Args) != 4 && len(os.Args) != 7 {
		fmt.Fprintln(os.Stderr, "usage: offsets URL BUILD-ID CACHE-FOLDER [RUNTIME VERSION MACHINE]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(server, buildID, cache string, program []string) error {
	client, err := offsetd.New(server, cache, fallback, offsetd.Options{Token: os.Getenv("OFFSETD_TOKEN"), Wait: time.Second})
	if err != nil {
		return err
	}
	query := offsetd.Query{BuildID: buildID}
	if len(program) == 3 {
		query.Program = offsetd.Program{Name: program[0], Version: program[1], Machine: program[2]}
	}
	for _, f := range fields {
		query.Items = append(query.Items, f.item)
	}
	answer, err := client.Offsets(context.Background(), query)
	if err != nil {
		return err
	}
	if answer.Problem != nil {
		fmt.Fprintln(os.Stderr, answer.Problem)
	}
	lines := fmt.Sprintln(answer.Source)
	for _, f := range fields {
		number, ok := answer.Value(f.item).Offset()
		if f.size {
			number, ok = answer.Value(f.item).Size()
		}
		if !ok || number > f.most {
			return fmt.Errorf("%s: %s is %s; the eBPF program needs a number up to %d", f.name, f.item, answer.Value(f.item).Raw, f.most)
		}
		lines += fmt.Sprintln(f.name, number)
	}
	fmt.Print(lines)
	return nil
}
