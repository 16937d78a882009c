// Renders the templates of a chart with Go's text/template, which Helm uses, and stand-ins for the functions that the chart
// calls. Helm itself is in no registry that the tests can reach: packaging/helm/check.sh runs it in the CI workflow.
//
//	render VALUES.json RELEASE TEMPLATE...
package main

import (
	"encoding/json"
	"log"
	"os"
	"strconv"
	"strings"
	"text/template"
)

// toYaml writes JSON, which is YAML, and the elements of a list in block style: the chart continues a list.
func toYaml(value any) (string, error) {
	elements, isList := value.([]any)
	if !isList {
		out, err := json.Marshal(value)
		return string(out), err
	}
	var lines []string
	for _, element := range elements {
		out, err := json.Marshal(element)
		if err != nil {
			return "", err
		}
		lines = append(lines, "- "+string(out))
	}
	return strings.Join(lines, "\n"), nil
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var values map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		log.Fatal(err)
	}
	functions := template.FuncMap{
		"quote":  strconv.Quote,
		"toYaml": toYaml,
		"nindent": func(spaces int, text string) string {
			pad := strings.Repeat(" ", spaces)
			return "\n" + pad + strings.ReplaceAll(text, "\n", "\n"+pad)
		},
	}
	data := map[string]any{"Values": values, "Release": map[string]any{"Name": os.Args[2]}}
	for _, path := range os.Args[3:] {
		text, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		parsed, err := template.New(path).Option("missingkey=error").Funcs(functions).Parse(string(text))
		if err != nil {
			log.Fatal(err)
		}
		os.Stdout.WriteString("---\n")
		if err := parsed.Execute(os.Stdout, data); err != nil {
			log.Fatal(err)
		}
	}
}
