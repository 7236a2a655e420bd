/* limits.h - every bound of the library, as data: unit, value, and what happens when it is reached. */
#ifndef TOAD_BASE_LIMITS_H
#define TOAD_BASE_LIMITS_H

/* X(name, value, "what it bounds and what is reported when it is hit") */
#define TOAD__LIMITS(X)                                                                                                \
    X(SEGMENT, 128u << 10, "bytes of input looked at in one piece; longer input is scanned piece by piece")            \
    X(OVERLAP, 16u << 10, "bytes two neighbouring pieces share, so that a match over the seam is seen whole")          \
    X(DECODE_DEPTH, 5u, "decodings inside decodings; deeper ones give completeness depth_limit")                       \
    X(DECODE_FACTOR, 12u, "decoded output per piece, as a multiple of its length ...")                                 \
    X(DECODE_BASE, 128u << 10, "... plus so many bytes; more gives completeness decode_limit")                         \
    X(DECODE_CHILDREN, 256u, "decoded texts per piece; more give completeness decode_limit")                           \
    X(FINDINGS, 1000u, "findings kept in a verdict; the total is still counted, completeness match_limit")             \
    X(RULE_FINDINGS, 16u, "findings of one rule kept in a piece; the rest are only counted")                           \
    X(EXCERPT, 160u, "bytes of escaped text quoted in a finding")                                                      \
    X(PATTERN_POSITIONS, 1024u, "automaton positions of one rule pattern; a larger one is refused")                    \
    X(PATTERN_LENGTH, 4096u, "bytes a pattern may match at most; a longer one is refused")                             \
    X(RULES, 8192u, "rules in one engine; more are refused")                                                           \
    X(TYPO, 8u << 10, "bytes of text in which misspelled trigger words are mended; longer text is matched as spelled") \
    X(HTML_DEPTH, 512u, "open elements tracked; deeper ones share the state of the deepest")                           \
    X(CONTAINER_FILE, 64u << 20,                                                                                       \
      "bytes of an archive or document that is opened; a larger one stays closed, size_limit")                         \
    X(CONTAINER_DEPTH, 3u, "containers inside containers; deeper ones stay closed, depth_limit")                       \
    X(CONTAINER_PARTS, 10000u, "parts of one file; the rest stays closed, size_limit")                                 \
    X(CONTAINER_OUT, 64u << 20, "bytes that all parts of one file unpack to at most ...")                              \
    X(CONTAINER_RATIO, 100u, "... and as a multiple of its length ...")                                                \
    X(CONTAINER_BASE, 1u << 20, "... plus so many bytes; more stays closed, size_limit")                               \
    X(METADATA, 256u, "code points of a label, URL, title or sender shown in an envelope; longer ones are cut")

enum {
#define X(name, value, text) TOAD__LIMIT_##name = (value),
    TOAD__LIMITS(X)
#undef X
};

#endif
