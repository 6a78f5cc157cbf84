// Renders a Helm chart with what Helm itself uses, Go's templates and Sprig, from Debian packages:
// golang-go, golang-github-masterminds-sprig-dev and golang-k8s-sigs-yaml-dev. Values replace those of
// values.yaml, read as JSON from stdin. It prints each rendered file.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run main.go CHART RELEASE
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

func main() {
	chart, release := os.Args[1], os.Args[2]
	given := object{}
	must(json.NewDecoder(os.Stdin).Decode(&given))
	values := merge(readYaml(filepath.Join(chart, "values.yaml")), given)
	about := object{}
	for name, value := range readYaml(filepath.Join(chart, "Chart.yaml")) {
		about[strings.ToUpper(name[:1])+name[1:]] = value
	}
	scope := object{
		"Values":   values,
		"Chart":    about,
		"Release":  object{"Name": release, "Namespace": "default", "Service": "Helm"},
		"Template": object{"BasePath": "templates"},
	}
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	must(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(err)
		_, err = all.New("templates/" + filepath.Base(file)).Parse(string(text))
		must(err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".tpl" {
			continue
		}
		text, err := render(all, "templates/"+filepath.Base(file), scope)
		must(err)
		fmt.Printf("---\n# Source: %s\n%s\n", filepath.Base(file), strings.ReplaceAll(text, "<no value>", ""))
	}
}

// Sprig's functions and those that Helm adds and charts use most.
func functions(all *template.Template) template.FuncMap {
	funcs := sprig.TxtFuncMap()
	delete(funcs, "env")
	delete(funcs, "expandenv")
	funcs["include"] = func(name string, scope interface{}) (string, error) { return render(all, name, scope) }
	funcs["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		must(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	return funcs
}

func render(all *template.Template, name string, scope interface{}) (string, error) {
	var text bytes.Buffer
	err := all.ExecuteTemplate(&text, name, scope)
	return text.String(), err
}

func merge(base, over object) object {
	for name, value := range over {
		below, isObject := base[name].(object)
		if inner, ok := value.(object); ok && isObject {
			value = merge(below, inner)
		}
		base[name] = value
	}
	return base
}

func readYaml(file string) object {
	text, err := os.ReadFile(file)
	must(err)
	read := object{}
	must(yaml.Unmarshal(text, &read))
	return read
}

func must(err error) {
	if err != nil && err != io.EOF {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
