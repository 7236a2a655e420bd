// Package toadstone stands between untrusted text and a language model, over the C interface of libtoadstone.
//
//	engine, err := toadstone.New()
//	seen, err := engine.Guard(page, toadstone.Web) // seen.Text is what the model may see
//
// An error means that nothing was decided: the text must not pass. Everything may be called from any goroutine.
package toadstone

/*
#cgo LDFLAGS: -ltoadstone
#include <stdlib.h>
#include <toadstone/toadstone.h>

// Slices are made here, so that Go's pointers cross only as arguments.
static toad_str slice(const char *p, size_t n) { return (toad_str){ n ? p : "", n }; }
static toad_status scan(toad_scanner *s, const char *p, size_t n, int kind, toad_text **ret) {
    toad_scan_options o = TOAD_SCAN_OPTIONS_INIT;
    o.kind = (toad_kind)kind;
    return toad_scan_json(s, slice(p, n), &o, ret);
}
static toad_status guard(toad_scanner *s, const char *p, size_t n, int kind, toad_guarded **ret) {
    toad_guard_options o = TOAD_GUARD_OPTIONS_INIT;
    o.kind = (toad_kind)kind;
    return toad_guard(s, slice(p, n), &o, ret);
}
static toad_status stream_open(toad_scanner *s, int kind, toad_stream **ret) {
    toad_scan_options o = TOAD_SCAN_OPTIONS_INIT;
    o.kind = (toad_kind)kind;
    return toad_stream_open(s, &o, ret);
}
static toad_status stream_write(toad_stream *s, const char *p, size_t n) { return toad_stream_write(s, slice(p, n)); }
static toad_status sanitize(const char *p, size_t n, toad_text **ret) { return toad_sanitize(slice(p, n), NULL, ret, NULL); }
static toad_status wrap(const char *p, size_t n, const char *source, size_t source_n, toad_text **ret) {
    toad_wrap_options o = TOAD_WRAP_OPTIONS_INIT;
    o.source = slice(source, source_n);
    return toad_wrap(slice(p, n), &o, ret);
}
static toad_status unwrap(const char *p, size_t n, const char *id, size_t id_n, toad_unwrapped **ret) {
    return toad_unwrap(slice(p, n), slice(id, id_n), ret);
}
static toad_status extract(const char *p, size_t n, toad_extracted **ret) { return toad_extract(slice(p, n), NULL, ret); }
static toad_status memory_line(const char *p, size_t n, int provenance, const char *date, size_t date_n, toad_text **ret) {
    return toad_memory_line(slice(p, n), (toad_provenance)provenance, slice(date, date_n), ret);
}
static toad_status memory_parse_line(const char *p, size_t n, toad_memory_entry **ret) { return toad_memory_parse_line(slice(p, n), ret); }
static toad_status memory_prompt_line(const char *p, size_t n, int provenance, toad_text **ret) {
    return toad_memory_prompt_line(slice(p, n), (toad_provenance)provenance, ret);
}
static void rule(toad_rule_def *defs, size_t i, const char *id, const char *title, const char *family, const char *why, int severity, char **patterns, size_t n) {
    toad_rule_def def = TOAD_RULE_DEF_INIT;
    def.id = id, def.title = title, def.family = family, def.why = why, def.severity = (toad_severity)severity;
    def.patterns = (const char *const *)patterns, def.patterns_n = n;
    defs[i] = def;
}
static toad_status engine(const toad_rules *rules, toad_engine **ret) {
    toad_engine_options o = TOAD_ENGINE_OPTIONS_INIT;
    o.rules = rules;
    return toad_engine_new(&o, ret);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// Error is a status of the library.
type Error int

func (e Error) Error() string { return C.GoString(C.toad_status_message(C.toad_status(e))) }

// Kind is what sort of text it is; judgement depends on it.
type Kind int

const (
	Any Kind = iota
	Web
	ToolResult
	ToolDescription
	Memory
	InstructionFile
	Email
	Code
	Search
)

// Action is what is done with a text, from loose to tight.
type Action int

const (
	Allow Action = iota
	Warn
	Redact
	Ask
	Block
)

// Severity is how grave a finding is.
type Severity int

const (
	None Severity = iota
	Low
	Medium
	High
)

// Provenance is who authored a memory, from most to least trusted.
type Provenance int

const (
	User Provenance = iota
	Agent
	External
)

// Rule is one of your own (docs/rules.md); it stands in for a built-in one that bears its id. Why is one sentence, shown with every finding.
type Rule struct {
	ID, Title, Family, Why string
	Severity               Severity
	Patterns               []string
}

// Guarded is what a model may see, and why; Verdict is JSON.
type Guarded struct {
	Text    string
	Action  Action
	Verdict string
}

func check(status C.toad_status) error {
	if status != 0 {
		return Error(status)
	}
	return nil
}

// A copy, since C must not be given a nil for bytes, and a string has no pointer of its own.
func in(text string) (*C.char, C.size_t) {
	bytes := append([]byte(text), 0)
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(len(text))
}

func str(s C.toad_str) string {
	if s.n == 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(s.p)), int(s.n)))
}

func text(status C.toad_status, made *C.toad_text) (string, error) {
	if err := check(status); err != nil {
		return "", err
	}
	defer C.toad_text_free(made)
	return str(C.toad_text_str(made)), nil
}

// Engine holds the rules, and a scanner for each call that ever ran at once with others.
type Engine struct {
	engine *C.toad_engine
	lock   sync.Mutex
	idle   []*C.toad_scanner
}

// New makes an engine, of the built-in rules and over them rules of your own: once a process. What is wrong with a rule stands in the error.
func New(rules ...Rule) (*Engine, error) {
	own, err := compile(rules)
	if err != nil {
		return nil, err
	}
	defer C.toad_rules_free(own)
	e := &Engine{}
	if err := check(C.engine(own, &e.engine)); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(e, func(e *Engine) {
		for _, s := range e.idle {
			C.toad_scanner_free(s)
		}
		C.toad_engine_free(e.engine)
	})
	return e, nil
}

// The rules, for toad_rules_free; nil where there are none. All that C reads of them lies in C's memory.
func compile(rules []Rule) (*C.toad_rules, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	var held []unsafe.Pointer
	defer func() {
		for _, p := range held {
			C.free(p)
		}
	}()
	hold := func(p unsafe.Pointer) unsafe.Pointer {
		held = append(held, p)
		return p
	}
	z := func(text string) *C.char { return (*C.char)(hold(unsafe.Pointer(C.CString(text)))) }
	defs := (*C.toad_rule_def)(hold(C.calloc(C.size_t(len(rules)), C.sizeof_toad_rule_def)))
	for i, r := range rules {
		if strings.ContainsRune(r.ID+r.Title+r.Family+r.Why+strings.Join(r.Patterns, ""), 0) {
			return nil, errors.New("NUL in a field of a rule")
		}
		patterns := (**C.char)(hold(C.calloc(C.size_t(len(r.Patterns)+1), C.size_t(unsafe.Sizeof(uintptr(0))))))
		for j, pattern := range r.Patterns {
			unsafe.Slice(patterns, len(r.Patterns))[j] = z(pattern)
		}
		C.rule(defs, C.size_t(i), z(r.ID), z(r.Title), z(r.Family), z(r.Why), C.int(r.Severity), patterns, C.size_t(len(r.Patterns)))
	}
	var own *C.toad_rules
	var message [400]C.char
	status := C.toad_rules_new(defs, C.size_t(len(rules)), &own, &message[0], C.size_t(len(message)))
	if status == C.TOAD_E_RULE {
		return nil, fmt.Errorf("%w: %s", Error(status), C.GoString(&message[0]))
	}
	return own, check(status)
}

func (e *Engine) take() (*C.toad_scanner, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if n := len(e.idle); n > 0 {
		s := e.idle[n-1]
		e.idle = e.idle[:n-1]
		return s, nil
	}
	var s *C.toad_scanner
	err := check(C.toad_scanner_new(e.engine, &s))
	return s, err
}

func (e *Engine) give(s *C.toad_scanner) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.idle = append(e.idle, s)
}

// Scan gives the verdict as one line of JSON, the same bytes in every language.
func (e *Engine) Scan(given string, kind Kind) (string, error) {
	s, err := e.take()
	if err != nil {
		return "", err
	}
	defer e.give(s)
	var made *C.toad_text
	p, n := in(given)
	status := C.scan(s, p, n, C.int(kind), &made)
	return text(status, made)
}

// Guard scans, decides by the built-in policy, and makes what the model may see: the text in an envelope, or a notice in its place.
func (e *Engine) Guard(given string, kind Kind) (Guarded, error) {
	s, err := e.take()
	if err != nil {
		return Guarded{}, err
	}
	defer e.give(s)
	var made *C.toad_guarded
	p, n := in(given)
	if err := check(C.guard(s, p, n, C.int(kind), &made)); err != nil {
		return Guarded{}, err
	}
	defer C.toad_guarded_free(made)
	return Guarded{str(C.toad_guarded_text(made)), Action(C.toad_guarded_action(made)), str(C.toad_guarded_json(made))}, nil
}

// Stream is a scan in chunks, of one goroutine at a time: an io.Writer, and Close gives the verdict of the whole text.
type Stream struct {
	of      *Engine
	scanner *C.toad_scanner
	stream  *C.toad_stream
}

// Stream opens one; it must be closed.
func (e *Engine) Stream(kind Kind) (*Stream, error) {
	s, err := e.take()
	if err != nil {
		return nil, err
	}
	out := &Stream{of: e, scanner: s}
	if err := check(C.stream_open(s, C.int(kind), &out.stream)); err != nil {
		e.give(s)
		return nil, err
	}
	return out, nil
}

func (s *Stream) Write(chunk []byte) (int, error) {
	if s.stream == nil {
		return 0, Error(C.TOAD_E_STATE)
	}
	p, n := in(string(chunk))
	if err := check(C.stream_write(s.stream, p, n)); err != nil {
		return 0, err
	}
	return len(chunk), nil
}

// Close ends the stream.
func (s *Stream) Close() (string, error) {
	if s.stream == nil {
		return "", Error(C.TOAD_E_STATE)
	}
	var verdict *C.toad_verdict
	var made *C.toad_text
	status := C.toad_stream_close(s.stream, &verdict)
	s.stream = nil
	defer s.of.give(s.scanner)
	if err := check(status); err != nil {
		return "", err
	}
	status = C.toad_verdict_json(verdict, &made)
	return text(status, made)
}

// Sanitize gives the text without what only serves to hide.
func Sanitize(given string) (string, error) {
	var made *C.toad_text
	p, n := in(given)
	status := C.sanitize(p, n, &made)
	return text(status, made)
}

// Wrap puts the text in an envelope that it cannot end itself. The source says where it came from ("web_fetch", a URL); it is neutralized, too.
func Wrap(given, source string) (string, error) {
	var made *C.toad_text
	p, n := in(given)
	q, m := in(source)
	status := C.wrap(p, n, q, m, &made)
	return text(status, made)
}

// Unwrapped is what was in an envelope. It is genuine only if it bears the id that was asked for.
type Unwrapped struct {
	Content, Source, ID string
	Genuine             bool
}

// Unwrap takes the first envelope in a text apart; the id is empty where it is not known.
func Unwrap(given, id string) (Unwrapped, error) {
	var made *C.toad_unwrapped
	p, n := in(given)
	q, m := in(id)
	if err := check(C.unwrap(p, n, q, m, &made)); err != nil {
		return Unwrapped{}, err
	}
	defer C.toad_unwrapped_free(made)
	return Unwrapped{str(C.toad_unwrapped_content(made)), str(C.toad_unwrapped_source(made)), str(C.toad_unwrapped_id(made)), bool(C.toad_unwrapped_genuine(made))}, nil
}

// Hidden is a text that a person does not see, and why.
type Hidden struct{ Text, Reason string }

// Extracted is a page as a person sees it, what it hides, and where it leads. Complete is false where a limit cut the work short.
type Extracted struct {
	Visible, Title string
	Hidden         []Hidden
	Links          []string
	Complete       bool
}

// Extract takes a page apart.
func Extract(given string) (Extracted, error) {
	var made *C.toad_extracted
	p, n := in(given)
	if err := check(C.extract(p, n, &made)); err != nil {
		return Extracted{}, err
	}
	defer C.toad_extracted_free(made)
	out := Extracted{Visible: str(C.toad_extracted_visible(made)), Title: str(C.toad_extracted_title(made)), Complete: bool(C.toad_extracted_complete(made))}
	for i := C.size_t(0); i < C.toad_extracted_hidden_count(made); i++ {
		h := C.toad_extracted_hidden(made, i)
		out.Hidden = append(out.Hidden, Hidden{str(h.text), C.GoString(h.reason)})
	}
	for i := C.size_t(0); i < C.toad_extracted_link_count(made); i++ {
		out.Links = append(out.Links, str(C.toad_extracted_link(made, i).url))
	}
	return out, nil
}

// MemoryEntry is one entry of a memory; the date is YYYY-MM-DD, or empty.
type MemoryEntry struct {
	Text       string
	Provenance Provenance
	Date       string
}

// MemoryLine gives an entry as a line of Markdown, in which the text can forge no provenance.
func MemoryLine(e MemoryEntry) (string, error) {
	var made *C.toad_text
	p, n := in(e.Text)
	q, m := in(e.Date)
	status := C.memory_line(p, n, C.int(e.Provenance), q, m, &made)
	return text(status, made)
}

// MemoryParseLine reads such a line.
func MemoryParseLine(line string) (MemoryEntry, error) {
	var made *C.toad_memory_entry
	p, n := in(line)
	if err := check(C.memory_parse_line(p, n, &made)); err != nil {
		return MemoryEntry{}, err
	}
	defer C.toad_memory_entry_free(made)
	return MemoryEntry{str(C.toad_memory_entry_text(made)), Provenance(C.toad_memory_entry_provenance(made)), str(C.toad_memory_entry_date(made))}, nil
}

// MemoryPromptLine gives an entry as a line of a system prompt.
func MemoryPromptLine(given string, provenance Provenance) (string, error) {
	var made *C.toad_text
	p, n := in(given)
	status := C.memory_prompt_line(p, n, C.int(provenance), &made)
	return text(status, made)
}
