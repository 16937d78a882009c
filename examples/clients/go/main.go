// Command offsets URL BUILD-ID CACHE-FOLDER prints the source of the values, then each value.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"time"

	"offsetd"
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

// fallback has an answer of a real build, which is used if there is no other.
//
//go:embed fallback.json
var fallback []byte

const version = "ruby 3.4" // the agent knows it from the name of the file

// value returns the answer's value of a field, if the build has it and it fits.
func value(a *offsetd.Answer, f field) (uint64, bool) {
	v := a.Value(f.item)
	if _, _, bits := v.BitField(); bits {
		return 0, false
	}
	number, ok := v.Offset()
	if f.size {
		number, ok = v.Size()
	}
	return number, ok && number <= f.most
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: offsets URL BUILD-ID CACHE-FOLDER")
		os.Exit(2)
	}
	client, err := offsetd.New(os.Args[1], os.Args[3], fallback, offsetd.Options{
		Token: os.Getenv("OFFSETD_TOKEN"),
		Wait:  time.Second,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var items []string
	for _, f := range fields {
		items = append(items, f.item)
	}
	answer, err := client.Offsets(context.Background(), os.Args[2], items, version)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if answer.Problem != "" {
		fmt.Fprintln(os.Stderr, answer.Problem)
	}
	table := client.Fallback(os.Args[2], version)
	fmt.Println(answer.Source)
	for _, f := range fields {
		number, ok := value(answer, f)
		if ok && answer.Source != offsetd.Fallback {
			fmt.Println(f.name, number)
		} else if number, ok = value(table, f); ok {
			fmt.Println(f.name, number, "fallback")
		}
	}
}
