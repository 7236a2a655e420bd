/* cost.c - how often does this literal stand in ordinary text?
 *
 * Its 3-, 4- and 5-grams were counted (cost.gen.c), and a literal is a chain of them. For what is too rare to be
 * counted there is a pair model: for each class of byte, how unlikely the next one is, in half bits, one letter each: A
 * is 0, a is 13 bits. It only ranks literals against each other, so being roughly right is enough; the matcher is exact
 * whatever it says. */
#include "lib/rules/cost.h"
#include "lib/base/str.h"
#include "lib/rules/table.h"

#define CLASSES 41
#define MOST    5       /* bytes of the longest grams that were counted */
#define UNSEEN  0x1p-22 /* what was never counted stands no more often than this, and hardly less often than ... */
#define LEAST   0x1p-25

/* Row 0: no byte before. Then one row for each class of the byte before, in the order of class_of(). */
static const char pairs[CLASSES + 1][CLASSES + 1] = {
    "GJNKKHLMLJSOKLJJLUJIILOPPOTQMOMLOQRQRQPXX", "TIKIKLJMNIRQLLLJKTKIHLNLPRTQKaOPNVPPPPLTa",
    "JTKIJRPJUKXOHIGZKVGIGLMSQNVVSSTPTXXRVcWhe", "LIQLNGPPQGKTGPPIOYKLOGVWQJTSNPRNPVVVRWMVg",
    "LHPLQHSUHKWIIMVFPZJLHLRVUMZUQQSMORUWTXVZg", "EJOQKEQRQHTQOQQKPXMLPMSTPQcTLMNJPPTQQRRcZ",
    "FLNJIMJNUQUUKLHSMPGHIUNOKOYXMNQLQPSQQTQdb", "GKJROKKVXEgZJTOGOYGOMJYXYNgQNPQMWRVWRNWfb",
    "FLSJQFSOKIYVKOILMWIJMJSTYVTXMONKOQSORTPaa", "GGXTSDVaXHdVOPRIOfKPJMZVcQXXPQRMTSSRSUTeb",
    "OLLJJKJKYTURIKEHLWMHHRMZNaNXTTUQVZaQWdXei", "NFSNNDSUUMXRUPTHKVVGLIPOWYeZPPSPWVYeUcXib",
    "IKOJPFPNUJZUOMOOQXQJOKUNZUZYMKQEPQSTNUQaa", "IHQQKFNPQGRVHTRHMaTKKKNTXKUYOPQHPSSTSUSec",
    "GFLPOFPUWIXRLJRIHXUKQLUVXOeXOQPMNSRQTYTdd", "GJTJHHLHTLXPOROJQaRHGLPVYPWUNNPNORSRSSQdb",
    "IPNKJRJNVLONKIFLIcGJKILLTSWcRTSMVWYaVaVed", "HHSNMFPOMKaMIRQHKUGKIKUTXLdVPOSJSSVQSWScf",
    "HOTTQTUQZPicKSNTRWONOBTVZZcXPNWJSSTWPXUae", "GIQLMEQKVHfONLLHOaLJJLNRbLcaNNRLRRTRQNRcb",
    "FMWLSGQSKIcKJPNKJUOHGLTSUMTVLNPLNOQUSORba", "GITNPGQVFHZQNPRILbIKLMVPNKUWNMQKRRTSRTRcb",
    "LMKLIINMcJYVHIGRIeGGGWUZQZTXRTWSXaRZYdXdg", "LFSPWDTQUGcQUKTINcQQSUYUVWcPQSOLTVURUXVhf",
    "HGTRPHSVHDgQORLHRiKKSMVNYZcWMQQKUUSYRYSba", "GJTKQINTSKiSRKPQHZQMGUSVOPWLNJOIORTTORTca",
    "DORPROPQVMaVLLKKFRLJLRUPaWUZKLPIPORRQMNbY", "KGQROCQWNHdWKORHSbUOSOVUXPKRPRTJOUSVSRSiW",
    "GOOOOOORVSZVTJUVSeURSRRUMdXJJKKIONSSPXRWZ", "DOOIMOPNJKNVPONLMYHIJQRSRTVNJTePUcUQSiQba",
    "ATUTUXWYWSaZUUUSUfUTVVWVUWcSNaWVUeVYTiWXY", "IKKKLMJOMLTOKMNMJPMJKMNORYROQdEaYiZPWSKYc",
    "SJLGJJJKNJVOKKJJITKGILLNNVSTXWeKfaWeViVgi", "FJNIKOMKMMPQJLLNJWMJINONPVSQSUUbGcVQVRLYi",
    "BQTQRRRUXRbWTRSTQbTOQRSUbacOXZWTJMTRVNRZY", "EMOLLMNLLNTSMMKOLUMJKOPQRVTUMINPRNMKPWMUb",
    "EILJLPPQMOQQKOOOLQOJJNOPQWVVOPQPFRQISOSUZ", "EMLJNMNPPLTRPPNJMYNINPOQNVVRMJQPRJPRMWNUd",
    "ERSSRQQRSRXVPKQSRVRPPOQWYTYSQZOaOdIQQEKTc", "FPPMIMEPRMXURROQNZQMQQRTPaXTTRESKVRVPcMTg",
    "EOOPMNPNSNUVOPOPOTNMPRSUQVWOIQMOQSPSLMNLd", "KMONPQNSQNVVPOPOObOMMQOOTUbUVWSYYdVRUVZaH",
};

/* The row and column of a printable ASCII byte that is no letter, from '!' on: A is 27 (digits), then eleven groups,
 * then the rest. */
static const char marks[] = "MHLMMMHJJLMCDBFAAAAAAAAAAGGIKIML"; /* ! to @ */

static unsigned class_of(unsigned char c) {
    if (c == ' ') return 0;
    if (toad__is_lower(c)) return c - 'a' + 1u;
    if (c > ' ' && c <= '@') return 27u + (unsigned)(marks[c - '!'] - 'A');
    if (c >= 0x80) return CLASSES - 1;
    switch (c) {
    case '[':
    case ']':
    case '{':
    case '}': return 36;
    case '_': return 31;
    case '`': return 34;
    case '\\': return 38;
    default: return CLASSES - 2;
    }
}

static unsigned half_bits(char c) { return (unsigned)(toad__is_upper(c) ? c - 'A' : c - 'a' + 26); }

/* 2 to the power of -halves / 2, without libm. */
static double power(unsigned halves) {
    double rate = halves & 1 ? 0.70710678118654752 : 1;
    for (unsigned bits = halves / 2; bits; bits--) rate /= 2;
    return rate;
}

static double pair_rate(toad_str s) {
    unsigned row = 0, halves = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned column = class_of((unsigned char)s.p[i]);
        halves += half_bits(pairs[row][column]);
        row = column + 1;
    }
    return power(halves);
}

/* The gram at p: log2 of its rate, in half bits below 1. A level is a range of rates, its middle is meant; what is too
 * rare to be counted is taken for 2^-22. */
static unsigned gram_halves(const char *p, unsigned gram) {
    static const struct {
        const uint64_t *levels;
        unsigned shift;
    } tables[] = { { toad__gram_levels_3, 64 - TOAD__GRAM_PLACES_3 },
                   { toad__gram_levels_4, 64 - TOAD__GRAM_PLACES_4 },
                   { toad__gram_levels_5, 64 - TOAD__GRAM_PLACES_5 } };
    uint64_t x = 0;
    memcpy(&x, p, gram);
    uint64_t place = toad__gram_hash(x, gram) >> tables[gram - 3].shift;
    unsigned level = (unsigned)(tables[gram - 3].levels[place >> 4] >> (place & 15) * 4 & 15);
    return level ? 2 * (21 - level) - 1 : 44;
}

/* A chain: how often the first 5-gram, and how likely each one after it, given the four bytes they share; no more often
 * than any of them. */
static unsigned chain_halves(toad_str s) {
    unsigned halves = gram_halves(s.p, MOST);
    for (size_t at = 1; at + MOST <= s.n; at++) {
        unsigned both = gram_halves(s.p + at, MOST), shared = gram_halves(s.p + at, MOST - 1);
        if (both > shared) halves += both - shared;
        if (both > halves) halves = both;
    }
    return halves;
}

double toad__cost_rate(toad_str s) {
    if (s.n < 3) return pair_rate(s);
    double counted = power(s.n < MOST ? gram_halves(s.p, (unsigned)s.n) : chain_halves(s)), modeled = pair_rate(s);
    if (counted > UNSEEN || modeled > UNSEEN) return counted;
    return modeled > LEAST ? modeled : LEAST;
}
