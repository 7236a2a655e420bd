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
static toad_status wrap(const char *p, size_t n, toad_text **ret) { return toad_wrap(slice(p, n), NULL, ret); }
*/
import "C"

import (
	"runtime"
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

// Engine holds the built-in rules, and a scanner for each call that ever ran at once with others.
type Engine struct {
	engine *C.toad_engine
	lock   sync.Mutex
	idle   []*C.toad_scanner
}

// New makes an engine: once a process, as a rule.
func New() (*Engine, error) {
	e := &Engine{}
	if err := check(C.toad_engine_new(nil, &e.engine)); err != nil {
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

// Wrap puts the text in an envelope that it cannot end itself.
func Wrap(given string) (string, error) {
	var made *C.toad_text
	p, n := in(given)
	status := C.wrap(p, n, &made)
	return text(status, made)
}
