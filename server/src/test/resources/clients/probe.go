// Command probe SERVER CACHE WAIT TABLE QUERY... prints the answer to each query. Every language has the same program, and
// probe.py describes it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	offsetd "offsetd.dev/clients/go"
)

func show(value offsetd.Value) string {
	if f, ok := value.BitField(); ok {
		return fmt.Sprintf("bits %d %d %d %d %x %x", f.Offset, f.Size, f.BitOffset, f.BitSize,
			f.Extract(0x5a, false), f.Extract(0x5a, true))
	}
	if offset, ok := value.Offset(); ok {
		size, _ := value.Size()
		return fmt.Sprintf("offset %d size %d", offset, size)
	}
	if number, ok := value.Number(); ok {
		return fmt.Sprintf("number %d", number)
	}
	if tls, ok := value.TLS(); ok {
		return fmt.Sprintf("tls %d %d %d", uint64(tls.Address)%tls.Alignment, tls.MemorySize, tls.Alignment)
	}
	if c, ok := value.Coverage(); ok {
		return fmt.Sprintf("coverage %d/%d %d/%d", c.Required.Found, c.Required.Of, c.Optional.Found, c.Optional.Of)
	}
	if symbols, all := value.Symbols(); len(symbols) > 0 {
		var texts []string
		for _, s := range symbols {
			texts = append(texts, fmt.Sprintf("%s %s %s %d %s %x %d", s.Name, s.Type, s.Binding, s.Size, s.Section, s.Value,
				count(s.Imported)))
		}
		return fmt.Sprintf("symbols %d: %s", count(!all), strings.Join(texts, ", "))
	}
	if plan, ok := value.Plan(); ok {
		text := fmt.Sprintf("plan %s %d:", plan.Symbol, plan.Size)
		for _, step := range plan.Steps {
			if step.PointerSize > 0 {
				text += fmt.Sprintf(" *%d", step.PointerSize)
			} else {
				text += fmt.Sprintf(" %d", step.Offset)
			}
		}
		return text
	}
	return value.Status
}

func count(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "&")
}

func report(query offsetd.Query, shown []string, answer *offsetd.Answer, err error) {
	var problem *offsetd.Error
	if answer != nil {
		problem = answer.Problem
	} else if !errors.As(err, &problem) {
		panic(err)
	}
	if problem != nil {
		if !errors.Is(problem, problem.Reason) {
			panic(problem)
		}
		seconds, code := int(problem.RetryAfter.Seconds()), problem.Code
		if problem.RetryAfter == 0 {
			seconds = -1
		}
		if code == "" {
			code = "-"
		}
		fmt.Printf("%s, status %d, code %s, retry after %d\n", problem.Reason, problem.Status, code, seconds)
		if problem.Reason == offsetd.NotCovered {
			fmt.Println(problem.Detail)
		}
	}
	if answer == nil {
		return
	}
	machine, age := answer.Arch.Machine, "current"
	if machine == "" {
		machine = "no machine"
	}
	if answer.Stale {
		age = "stale"
	}
	fmt.Println(answer.Source, machine, age)
	if shown == nil {
		shown = append(append(shown, query.Items...), query.Optional...)
	}
	for _, item := range shown {
		marks := ""
		if !answer.Covered(item) {
			marks = ", not covered"
		}
		if answer.Value(item).Incomplete {
			marks += ", incomplete"
		}
		fmt.Printf("%s: %s%s\n", item, show(answer.Value(item)), marks)
	}
}

func main() {
	wait, _ := strconv.ParseFloat(os.Args[3], 64)
	var table []byte
	if os.Args[4] != "-" {
		table, _ = os.ReadFile(os.Args[4])
	}
	client, err := offsetd.New(os.Args[1], os.Args[2], table, offsetd.Options{Wait: time.Duration(wait * float64(time.Second))})
	if err != nil {
		fmt.Fprintln(os.Stderr, "refused:", err)
		os.Exit(1)
	}
	var queries []offsetd.Query
	var shown [][]string
	for _, text := range os.Args[5:] {
		parts := strings.Split(text, ";")
		if strings.Contains(parts[0], "/") {
			if parts[0], err = offsetd.BuildID(parts[0]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			if parts[0] == "" {
				fmt.Println("no build-id")
				continue
			}
			fmt.Println(parts[0])
		}
		query := offsetd.Query{BuildID: parts[0], Items: list(parts[1]), Optional: list(parts[2]), NameMap: parts[3]}
		if program := strings.Split(parts[4], " "); len(program) == 3 {
			query.Program = offsetd.Program{Name: program[0], Version: program[1], Machine: program[2]}
		}
		queries = append(queries, query)
		shown = append(shown, list(parts[5]))
	}
	if len(queries) == 1 {
		answer, err := client.Offsets(context.Background(), queries[0])
		report(queries[0], shown[0], answer, err)
		return
	}
	for i, result := range client.Batch(context.Background(), queries) {
		report(queries[i], shown[i], result.Answer, result.Err)
	}
}
