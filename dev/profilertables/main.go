// Command profilertables prints the offsets that the OpenTelemetry eBPF profiler has in its source for one version of a
// runtime, as JSON: {"values": {"control_frame_struct.pc": 0, …}, "unread": ["ruby.go:1722: …", …]}.
//
//	go run . FOLDER VERSION ARCH [NAME=true|false...]
//
// FOLDER is a folder of interpreter/ in a checkout, VERSION is a version such as 3.4.5, ARCH is a GOARCH, and the rest are
// conditions that the source finds out at run time. It reads assignments of integers to fields, and the conditions on
// version and architecture around them. A field under any other condition, or with any other value, has no value here; the
// place is listed in "unread".
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// table collects the values of the fields of a package.
type table struct {
	files     *token.FileSet
	constants map[string]ast.Expr
	functions map[string]*ast.FuncDecl
	version   []int64
	arch      string
	given     map[string]constant.Value
	values    map[string]constant.Value // nil: assigned, and not known
	assigned  map[string]bool
	aliases   map[string]string // of local variables: the path of the field that they stand for
	unread    map[string]bool
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: profilertables FOLDER VERSION ARCH [NAME=true|false...]")
		os.Exit(2)
	}
	t := &table{
		files:     token.NewFileSet(),
		constants: map[string]ast.Expr{},
		functions: map[string]*ast.FuncDecl{},
		arch:      os.Args[3],
		given:     map[string]constant.Value{},
		values:    map[string]constant.Value{},
		assigned:  map[string]bool{},
		unread:    map[string]bool{},
	}
	for _, part := range strings.Split(os.Args[2], ".") {
		number, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			fail(fmt.Errorf("version %q; expected numbers and dots", os.Args[2]))
		}
		t.version = append(t.version, number)
	}
	for len(t.version) < 3 {
		t.version = append(t.version, 0)
	}
	for _, condition := range os.Args[4:] {
		name, value, _ := strings.Cut(condition, "=")
		t.given[name] = constant.MakeBool(value == "true")
	}
	if err := t.read(os.Args[1]); err != nil {
		fail(err)
	}
	out := struct {
		Values map[string]int64 `json:"values"`
		Unread []string         `json:"unread"`
	}{map[string]int64{}, []string{}}
	for name, value := range t.values {
		if value == nil {
			continue
		}
		if number, exact := constant.Int64Val(constant.ToInt(value)); exact {
			out.Values[name] = number
		}
	}
	for place := range t.unread {
		out.Unread = append(out.Unread, place)
	}
	sort.Strings(out.Unread)
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "profilertables:", err)
	os.Exit(1)
}

// read parses the files of a folder, tests excepted, and follows each function that assigns to fields.
func (t *table) read(folder string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("%s has no Go files", folder)
	}
	var parsed []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(t.files, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	for _, file := range parsed {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Body != nil {
					t.functions[d.Name.Name] = d
				}
			case *ast.GenDecl:
				t.declare(d)
			}
		}
	}
	for _, function := range t.functions {
		t.aliases = map[string]string{}
		t.block(function.Body.List)
	}
	return nil
}

// declare notes constants, and the fields of vmStructs, which are 0 until they are assigned. A field with a tag is read at
// run time, under the name in the tag.
func (t *table) declare(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			if d.Tok == token.CONST && len(s.Values) == len(s.Names) {
				for i, name := range s.Names {
					t.constants[name.Name] = s.Values[i]
				}
			}
		case *ast.TypeSpec:
			structure, ok := s.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range structure.Fields.List {
				if inner, ok := field.Type.(*ast.StructType); ok && len(field.Names) == 1 && field.Names[0].Name == "vmStructs" {
					t.fields("", inner)
				}
			}
		}
	}
}

func (t *table) fields(prefix string, structure *ast.StructType) {
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			if inner, ok := field.Type.(*ast.StructType); ok {
				t.fields(prefix+name.Name+".", inner)
			} else if field.Tag == nil {
				t.values[prefix+name.Name] = constant.MakeInt64(0)
			}
		}
	}
}

// block follows statements; it returns false after a return.
func (t *table) block(statements []ast.Stmt) bool {
	for _, statement := range statements {
		if !t.statement(statement) {
			return false
		}
	}
	return true
}

func (t *table) statement(statement ast.Stmt) bool {
	switch s := statement.(type) {
	case *ast.AssignStmt:
		t.assign(s)
	case *ast.BlockStmt:
		return t.block(s.List)
	case *ast.ReturnStmt:
		return false
	case *ast.IfStmt:
		if s.Init != nil {
			t.statement(s.Init)
			t.passed(s.Init)
		}
		condition := t.value(s.Cond)
		switch {
		case condition == nil:
			t.forget(s)
		case constant.BoolVal(condition):
			return t.block(s.Body.List)
		case s.Else != nil:
			return t.statement(s.Else)
		}
	case *ast.SwitchStmt:
		return t.cases(s)
	case *ast.ForStmt, *ast.RangeStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.DeferStmt, *ast.GoStmt, *ast.ExprStmt:
		t.forget(s)
	}
	return true
}

func (t *table) cases(s *ast.SwitchStmt) bool {
	var tag constant.Value = constant.MakeBool(true)
	if s.Tag != nil {
		tag = t.value(s.Tag)
	}
	var otherwise *ast.CaseClause
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		if c.List == nil {
			otherwise = c
			continue
		}
		for _, expression := range c.List {
			value := t.value(expression)
			if tag == nil || value == nil || value.Kind() != tag.Kind() {
				t.forget(s)
				return true
			}
			if constant.Compare(tag, token.EQL, value) {
				return t.block(c.Body)
			}
		}
	}
	if otherwise != nil {
		return t.block(otherwise.Body)
	}
	return true
}

// forget takes the values from all fields that may be assigned in a statement that is not understood.
func (t *table) forget(statement ast.Node) {
	ast.Inspect(statement, func(node ast.Node) bool {
		if assignment, ok := node.(*ast.AssignStmt); ok {
			for _, left := range assignment.Lhs {
				if name := t.field(left); name != "" {
					t.values[name] = nil
					t.note(assignment, name+" depends on what is known at run time")
				}
			}
		}
		return true
	})
}

// passed takes the values from fields that nothing has assigned, of structs whose address a statement passes on.
func (t *table) passed(statement ast.Node) {
	ast.Inspect(statement, func(node ast.Node) bool {
		address, ok := node.(*ast.UnaryExpr)
		if !ok || address.Op != token.AND {
			return true
		}
		structure := t.field(address.X)
		for name := range t.values {
			if structure != "" && strings.HasPrefix(name, structure+".") && !t.assigned[name] {
				t.values[name] = nil
				t.note(address, name+" is read at run time")
			}
		}
		return true
	})
}

func (t *table) note(node ast.Node, reason string) {
	position := t.files.Position(node.Pos())
	t.unread[fmt.Sprintf("%s:%d: %s", filepath.Base(position.Filename), position.Line, reason)] = true
}

func (t *table) assign(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		t.forget(s)
		return
	}
	for i, left := range s.Lhs {
		if identifier, ok := left.(*ast.Ident); ok {
			t.local(identifier.Name, s.Rhs[i])
			continue
		}
		name := t.field(left)
		if name == "" {
			continue
		}
		value := t.value(s.Rhs[i])
		if s.Tok == token.ADD_ASSIGN {
			if old := t.values[name]; old == nil || value == nil {
				value = nil
			} else {
				value = constant.BinaryOp(old, token.ADD, value)
			}
		} else if s.Tok != token.ASSIGN {
			value = nil
		}
		if value != nil && value.Kind() != constant.Int {
			continue
		}
		t.values[name] = value
		t.assigned[name] = true
		if value == nil {
			t.note(s, name+" is found at run time")
		}
	}
}

// local notes what a variable stands for: the data of the interpreter, or its vmStructs.
func (t *table) local(name string, right ast.Expr) {
	if address, ok := right.(*ast.UnaryExpr); ok && address.Op == token.AND {
		right = address.X
	}
	switch r := right.(type) {
	case *ast.SelectorExpr:
		if r.Sel.Name == "vmStructs" {
			t.aliases[name] = ""
		}
	case *ast.CompositeLit:
		kind := typeName(r.Type)
		if !strings.HasSuffix(kind, "Data") && !strings.HasSuffix(kind, "Offsets") {
			return
		}
		t.aliases[name] = ""
		for _, element := range r.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			field := pair.Key.(*ast.Ident).Name
			if value := t.value(pair.Value); value != nil && value.Kind() == constant.Int && field != "version" {
				t.values[field] = value
			}
		}
	}
}

func typeName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// field returns the path of a field below vmStructs or the data, or nothing.
func (t *table) field(expression ast.Expr) string {
	selector, ok := expression.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if base, ok := selector.X.(*ast.Ident); ok {
		if _, known := t.aliases[base.Name]; known && selector.Sel.Name != "vmStructs" {
			return selector.Sel.Name
		}
		return ""
	}
	outer := t.field(selector.X)
	if outer == "" {
		return ""
	}
	return outer + "." + selector.Sel.Name
}

// value evaluates an expression of constants, version and architecture; nil if it has anything else.
func (t *table) value(expression ast.Expr) constant.Value {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.ParenExpr:
		return t.value(e.X)
	case *ast.Ident:
		return t.named(e.Name)
	case *ast.SelectorExpr:
		return t.named(typeName(e.X) + "." + e.Sel.Name)
	case *ast.UnaryExpr:
		if x := t.value(e.X); x != nil && (e.Op == token.NOT) == (x.Kind() == constant.Bool) && e.Op != token.AND {
			return constant.UnaryOp(e.Op, x, 0)
		}
	case *ast.BinaryExpr:
		return t.binary(e)
	case *ast.CallExpr:
		return t.call(e)
	}
	return nil
}

func (t *table) named(name string) constant.Value {
	if value, ok := t.given[name]; ok {
		return value
	}
	switch name {
	case "true", "false":
		return constant.MakeBool(name == "true")
	case "runtime.GOARCH":
		return constant.MakeString(t.arch)
	case "version":
		// Each package has a function that packs a version; it is the one that the source compares with.
		for _, packing := range []string{"rubyVersion", "pythonVer", "phpVersion", "perlVersion"} {
			if function, ok := t.functions[packing]; ok {
				return t.apply(function, t.version)
			}
		}
	case "d.otpRelease":
		return constant.MakeInt64(t.version[0])
	}
	if definition, ok := t.constants[name]; ok {
		return t.value(definition)
	}
	return nil
}

func (t *table) binary(e *ast.BinaryExpr) constant.Value {
	x, y := t.value(e.X), t.value(e.Y)
	switch e.Op {
	case token.LAND, token.LOR:
		// One side alone decides if it is false, or true.
		decides := e.Op == token.LOR
		for _, side := range []constant.Value{x, y} {
			if side != nil && side.Kind() == constant.Bool && constant.BoolVal(side) == decides {
				return side
			}
		}
		if x == nil || y == nil {
			return nil
		}
		return constant.BinaryOp(x, e.Op, y)
	}
	if x == nil || y == nil || x.Kind() != y.Kind() {
		return nil
	}
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant.MakeBool(constant.Compare(x, e.Op, y))
	case token.SHL, token.SHR:
		count, exact := constant.Uint64Val(y)
		if !exact || count > 64 {
			return nil
		}
		return constant.Shift(x, e.Op, uint(count))
	case token.QUO, token.REM:
		if constant.Sign(y) == 0 {
			return nil
		}
		if e.Op == token.QUO {
			return constant.BinaryOp(x, token.QUO_ASSIGN, y)
		}
	}
	return constant.BinaryOp(x, e.Op, y)
}

func (t *table) call(e *ast.CallExpr) constant.Value {
	if selector, ok := e.Fun.(*ast.SelectorExpr); ok && typeName(selector.X) == "version" && selector.Sel.Name == "Compare" {
		return t.compare(e.Args)
	}
	name := typeName(e.Fun)
	if function, ok := t.functions[name]; ok {
		var arguments []int64
		for _, argument := range e.Args {
			value := t.value(argument)
			if value == nil || value.Kind() != constant.Int {
				return nil
			}
			number, exact := constant.Int64Val(value)
			if !exact {
				return nil
			}
			arguments = append(arguments, number)
		}
		return t.apply(function, arguments)
	}
	// A conversion.
	switch name {
	case "Address", "SymbolValue", "int", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
		if len(e.Args) == 1 {
			return t.value(e.Args[0])
		}
	}
	return nil
}

// apply evaluates a function of integers that is one return statement.
func (t *table) apply(function *ast.FuncDecl, arguments []int64) constant.Value {
	if len(function.Body.List) != 1 {
		return nil
	}
	result, ok := function.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(result.Results) != 1 {
		return nil
	}
	outer := t.given
	defer func() { t.given = outer }()
	t.given = map[string]constant.Value{}
	index := 0
	for _, parameter := range function.Type.Params.List {
		for _, name := range parameter.Names {
			if index == len(arguments) {
				return nil
			}
			t.given[name.Name] = constant.MakeInt64(arguments[index])
			index++
		}
	}
	return t.value(result.Results[0])
}

// compare evaluates version.Compare(vers, "go1.26").
func (t *table) compare(arguments []ast.Expr) constant.Value {
	if len(arguments) != 2 || typeName(arguments[0]) != "vers" {
		return nil
	}
	other := t.value(arguments[1])
	if other == nil || other.Kind() != constant.String {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(constant.StringVal(other), "go"), ".")
	for i, part := range parts {
		number, err := strconv.ParseInt(part, 10, 64)
		if err != nil || i == len(t.version) {
			return nil
		}
		if number != t.version[i] {
			if t.version[i] < number {
				return constant.MakeInt64(-1)
			}
			return constant.MakeInt64(1)
		}
	}
	return constant.MakeInt64(0)
}
