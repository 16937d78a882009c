// gosym PROGRAM: prints the functions that debug/gosym finds in .gopclntab, as entry, end and name.
package main

import (
	"debug/elf"
	"debug/gosym"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	file, err := elf.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, section := range file.Sections {
		// Position-independent programs have it among the data that is relocated.
		if !strings.HasSuffix(section.Name, ".gopclntab") {
			continue
		}
		data, err := section.Data()
		if err != nil {
			log.Fatal(err)
		}
		table, err := gosym.NewTable(nil, gosym.NewLineTable(data, file.Section(".text").Addr))
		if err != nil {
			log.Fatal(err)
		}
		for _, function := range table.Funcs {
			fmt.Printf("%x %x %s\n", function.Entry, function.End, function.Name)
		}
	}
}
