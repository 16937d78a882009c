// Godwarf prints the layout of a type, read with Go's debug/dwarf. Like offsetd, it reads every unit, compares every
// definition of the type, and skips the children of functions. It is the baseline of the benchmarks, written for speed as a
// user of that package would: GOMAXPROCS goroutines read the units, each with its own Reader (the package does not promise
// that this is safe; in Go 1.19 they share only the sections), with the default settings of the garbage collector.
//
//	godwarf [-first] [-runs N [-warm-up N]] FILE TYPE
//
// It prints the kind, name and size in bytes, then each member with its bit offset and, for bit-fields, its bit size. With
// -first one goroutine reads up to the first definition. With -runs it repeatedly opens and reads the file, and prints the
// number of runs, the minimum, median and maximum in ms, and the maximum RssAnon in KiB after a run.
package main

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// DW_LANG_C89, C, C99, C11 (DWARF 5, table 7.17). Their structs hold no types that can be asked for by name.
var languagesOfC = map[int64]bool{0x01: true, 0x02: true, 0x0c: true, 0x1d: true}

// DW_LANG_C_plus_plus, C_plus_plus_03, 11 and 14.
var languagesOfCPlusPlus = map[int64]bool{0x04: true, 0x19: true, 0x1a: true, 0x21: true}

var kinds = map[dwarf.Tag]string{
	dwarf.TagStructType: "struct",
	dwarf.TagUnionType:  "union",
	dwarf.TagClassType:  "class",
}

func main() {
	first := flag.Bool("first", false, "stop at the first definition")
	runs := flag.Int("runs", 0, "runs that count; then figures are printed, not the layout")
	warmUp := flag.Int("warm-up", 0, "runs before those")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: godwarf [-first] [-runs N [-warm-up N]] FILE TYPE")
		os.Exit(2)
	}
	var err error
	if *runs > 0 {
		err = measure(flag.Arg(0), flag.Arg(1), *first, *warmUp, *runs)
	} else {
		var layout string
		layout, err = read(flag.Arg(0), flag.Arg(1), *first)
		fmt.Print(layout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "godwarf: %v\n", err)
		os.Exit(1)
	}
}

func measure(path, name string, first bool, warmUp, runs int) error {
	var millis []float64
	var rssAnon int64
	for run := 0; run < warmUp+runs; run++ {
		start := time.Now()
		if _, err := read(path, name, first); err != nil {
			return err
		}
		if run >= warmUp {
			millis = append(millis, float64(time.Since(start).Microseconds())/1000)
			if now := currentRssAnon(); now > rssAnon {
				rssAnon = now
			}
		}
	}
	sort.Float64s(millis)
	median := (millis[(runs-1)/2] + millis[runs/2]) / 2
	fmt.Printf("%d %.2f %.2f %.2f %d\n", runs, millis[0], median, millis[runs-1], rssAnon)
	return nil
}

// In KiB; 0 where the kernel does not say.
func currentRssAnon() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "RssAnon:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			return kib
		}
	}
	return 0
}

// The layout that every definition of the name has; an error if they differ, or if there is none.
func read(path, name string, first bool) (string, error) {
	file, err := elf.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := file.DWARF()
	if err != nil {
		return "", err
	}
	units, err := unitsOf(data)
	if err != nil {
		return "", err
	}
	question := question{data: data, name: name, order: file.ByteOrder}
	if first {
		return question.first(units)
	}
	return question.all(units)
}

// Where the unit DIEs are.
func unitsOf(data *dwarf.Data) ([]dwarf.Offset, error) {
	var units []dwarf.Offset
	reader := data.Reader()
	for {
		unit, err := reader.Next()
		if unit == nil || err != nil {
			return units, err
		}
		units = append(units, unit.Offset)
		reader.SkipChildren()
	}
}

type question struct {
	data  *dwarf.Data
	name  string
	order binary.ByteOrder
}

func (q question) first(units []dwarf.Offset) (string, error) {
	for _, unit := range units {
		found, err := q.inUnit(unit, true)
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return found[0].layout, nil
		}
	}
	return "", fmt.Errorf("%s has no definition", q.name)
}

// Definitions in C and C++ go before those in other languages, which repeat them for their own use.
func (q question) all(units []dwarf.Offset) (string, error) {
	type result struct {
		found []found
		err   error
	}
	workers := runtime.GOMAXPROCS(0)
	results := make(chan result)
	var next int64 = -1
	for worker := 0; worker < workers; worker++ {
		go func() {
			var all result
			for all.err == nil {
				at := atomic.AddInt64(&next, 1)
				if at >= int64(len(units)) {
					break
				}
				var inUnit []found
				inUnit, all.err = q.inUnit(units[at], false)
				all.found = append(all.found, inUnit...)
			}
			results <- all
		}()
	}
	layouts, others := map[string]bool{}, map[string]bool{}
	var err error
	for worker := 0; worker < workers; worker++ {
		result := <-results
		if result.err != nil {
			err = result.err
		}
		for _, found := range result.found {
			if languagesOfC[found.language] || languagesOfCPlusPlus[found.language] {
				layouts[found.layout] = true
			} else {
				others[found.layout] = true
			}
		}
	}
	if err != nil {
		return "", err
	}
	if len(layouts) == 0 {
		layouts = others
	}
	if len(layouts) != 1 {
		return "", fmt.Errorf("%s has %d different definitions; expected 1", q.name, len(layouts))
	}
	for layout := range layouts {
		return layout, nil
	}
	return "", nil
}

// A definition of the name.
type found struct {
	language int64
	layout   string
}

func (q question) inUnit(unit dwarf.Offset, first bool) ([]found, error) {
	reader := q.data.Reader()
	reader.Seek(unit)
	root, err := reader.Next()
	if err != nil || !root.Children {
		return nil, err
	}
	language, _ := root.Val(dwarf.AttrLanguage).(int64)
	var definitions []found
	depth := 1
	for depth > 0 {
		entry, err := reader.Next()
		if err != nil {
			return nil, err
		}
		if entry == nil {
			break
		}
		if entry.Tag == 0 {
			depth--
			continue
		}
		if _, ok := kinds[entry.Tag]; ok && isWanted(entry, q.name) {
			layout, err := q.definition(entry)
			if err != nil {
				return nil, err
			}
			definitions = append(definitions, found{language, layout})
			if first {
				return definitions, nil
			}
		}
		if !entry.Children {
			continue
		}
		switch entry.Tag {
		case dwarf.TagNamespace, dwarf.TagModule:
			depth++
		case dwarf.TagStructType, dwarf.TagUnionType, dwarf.TagClassType:
			if languagesOfC[language] {
				reader.SkipChildren()
			} else {
				depth++
			}
		default:
			reader.SkipChildren()
		}
	}
	return definitions, nil
}

func isWanted(entry *dwarf.Entry, name string) bool {
	given, _ := entry.Val(dwarf.AttrName).(string)
	declaration, _ := entry.Val(dwarf.AttrDeclaration).(bool)
	return given == name && !declaration
}

func (q question) definition(entry *dwarf.Entry) (string, error) {
	var layout strings.Builder
	size, _ := entry.Val(dwarf.AttrByteSize).(int64)
	fmt.Fprintf(&layout, "%s %s %d\n", kinds[entry.Tag], q.name, size)
	if !entry.Children {
		return layout.String(), nil
	}
	reader := q.data.Reader()
	reader.Seek(entry.Offset)
	if _, err := reader.Next(); err != nil {
		return "", err
	}
	for {
		child, err := reader.Next()
		if err != nil {
			return "", err
		}
		if child == nil || child.Tag == 0 {
			return layout.String(), nil
		}
		if child.Tag == dwarf.TagMember && !isStatic(child) {
			if err := member(&layout, child, q.order); err != nil {
				return "", fmt.Errorf("%s at 0x%x: %w", q.name, child.Offset, err)
			}
		}
		reader.SkipChildren()
	}
}

// Static members of classes are members in DWARF 4, without a place.
func isStatic(member *dwarf.Entry) bool {
	return member.Val(dwarf.AttrExternal) != nil || member.Val(dwarf.AttrDeclaration) != nil
}

func member(layout *strings.Builder, entry *dwarf.Entry, order binary.ByteOrder) error {
	name, named := entry.Val(dwarf.AttrName).(string)
	if !named {
		name = "-"
	}
	var bits int64
	switch place := entry.Val(dwarf.AttrDataMemberLoc).(type) {
	case nil:
	case int64:
		bits = place * 8
	default:
		return errors.New("the place of a member is computed")
	}
	if place, ok := entry.Val(dwarf.AttrDataBitOffset).(int64); ok {
		bits += place
	}
	width, bitField := entry.Val(dwarf.AttrBitSize).(int64)
	if place, ok := entry.Val(dwarf.AttrBitOffset).(int64); ok {
		// DWARF 2: from the most significant bit of what holds it.
		holder, sized := entry.Val(dwarf.AttrByteSize).(int64)
		if !sized {
			return errors.New("a bit-field does not say how large what holds it is")
		}
		if order == binary.LittleEndian {
			place = holder*8 - place - width
		}
		bits += place
	}
	fmt.Fprintf(layout, "%s %d", name, bits)
	if bitField {
		fmt.Fprintf(layout, ":%d", width)
	}
	layout.WriteByte('\n')
	return nil
}
