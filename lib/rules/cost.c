/* cost.c - how often does this literal stand in ordinary text?
 *
 * No more often than the rarest of its 5-grams, and those were counted (cost.gen.c). For what is too rare to be counted there is a pair model:
 * for each class of byte, how unlikely the next one is, in half bits, one letter each: A is 0, a is 13 bits. It only ranks literals against each
 * other, so being roughly right is enough; the matcher is exact whatever it says. */
#include "lib/rules/cost.h"
#include "lib/base/str.h"
#include "lib/rules/table.h"

#define CLASSES 41
#define MOST 5 /* bytes of the longest grams that were counted */

/* Row 0: no byte before. Then one row for each class of the byte before, in the order of class_of(). */
static const char pairs[CLASSES + 1][CLASSES + 1] = {
    "GJNKKHLMLJSOKLJJLUJIILOPPOTQMOMLOQRQRQPXX",
    "TIKIKLJMNIRQLLLJKTKIHLNLPRTQKaOPNVPPPPLTa",
    "JTKIJRPJUKXOHIGZKVGIGLMSQNVVSSTPTXXRVcWhe",
    "LIQLNGPPQGKTGPPIOYKLOGVWQJTSNPRNPVVVRWMVg",
    "LHPLQHSUHKWIIMVFPZJLHLRVUMZUQQSMORUWTXVZg",
    "EJOQKEQRQHTQOQQKPXMLPMSTPQcTLMNJPPTQQRRcZ",
    "FLNJIMJNUQUUKLHSMPGHIUNOKOYXMNQLQPSQQTQdb",
    "GKJROKKVXEgZJTOGOYGOMJYXYNgQNPQMWRVWRNWfb",
    "FLSJQFSOKIYVKOILMWIJMJSTYVTXMONKOQSORTPaa",
    "GGXTSDVaXHdVOPRIOfKPJMZVcQXXPQRMTSSRSUTeb",
    "OLLJJKJKYTURIKEHLWMHHRMZNaNXTTUQVZaQWdXei",
    "NFSNNDSUUMXRUPTHKVVGLIPOWYeZPPSPWVYeUcXib",
    "IKOJPFPNUJZUOMOOQXQJOKUNZUZYMKQEPQSTNUQaa",
    "IHQQKFNPQGRVHTRHMaTKKKNTXKUYOPQHPSSTSUSec",
    "GFLPOFPUWIXRLJRIHXUKQLUVXOeXOQPMNSRQTYTdd",
    "GJTJHHLHTLXPOROJQaRHGLPVYPWUNNPNORSRSSQdb",
    "IPNKJRJNVLONKIFLIcGJKILLTSWcRTSMVWYaVaVed",
    "HHSNMFPOMKaMIRQHKUGKIKUTXLdVPOSJSSVQSWScf",
    "HOTTQTUQZPicKSNTRWONOBTVZZcXPNWJSSTWPXUae",
    "GIQLMEQKVHfONLLHOaLJJLNRbLcaNNRLRRTRQNRcb",
    "FMWLSGQSKIcKJPNKJUOHGLTSUMTVLNPLNOQUSORba",
    "GITNPGQVFHZQNPRILbIKLMVPNKUWNMQKRRTSRTRcb",
    "LMKLIINMcJYVHIGRIeGGGWUZQZTXRTWSXaRZYdXdg",
    "LFSPWDTQUGcQUKTINcQQSUYUVWcPQSOLTVURUXVhf",
    "HGTRPHSVHDgQORLHRiKKSMVNYZcWMQQKUUSYRYSba",
    "GJTKQINTSKiSRKPQHZQMGUSVOPWLNJOIORTTORTca",
    "DORPROPQVMaVLLKKFRLJLRUPaWUZKLPIPORRQMNbY",
    "KGQROCQWNHdWKORHSbUOSOVUXPKRPRTJOUSVSRSiW",
    "GOOOOOORVSZVTJUVSeURSRRUMdXJJKKIONSSPXRWZ",
    "DOOIMOPNJKNVPONLMYHIJQRSRTVNJTePUcUQSiQba",
    "ATUTUXWYWSaZUUUSUfUTVVWVUWcSNaWVUeVYTiWXY",
    "IKKKLMJOMLTOKMNMJPMJKMNORYROQdEaYiZPWSKYc",
    "SJLGJJJKNJVOKKJJITKGILLNNVSTXWeKfaWeViVgi",
    "FJNIKOMKMMPQJLLNJWMJINONPVSQSUUbGcVQVRLYi",
    "BQTQRRRUXRbWTRSTQbTOQRSUbacOXZWTJMTRVNRZY",
    "EMOLLMNLLNTSMMKOLUMJKOPQRVTUMINPRNMKPWMUb",
    "EILJLPPQMOQQKOOOLQOJJNOPQWVVOPQPFRQISOSUZ",
    "EMLJNMNPPLTRPPNJMYNINPOQNVVRMJQPRJPRMWNUd",
    "ERSSRQQRSRXVPKQSRVRPPOQWYTYSQZOaOdIQQEKTc",
    "FPPMIMEPRMXURROQNZQMQQRTPaXTTRESKVRVPcMTg",
    "EOOPMNPNSNUVOPOPOTNMPRSUQVWOIQMOQSPSLMNLd",
    "KMONPQNSQNVVPOPOObOMMQOOTUbUVWSYYdVRUVZaH",
};

/* The row and column of a printable ASCII byte that is no letter, from '!' on: A is 27 (digits), then eleven groups, then the rest. */
static const char marks[] = "MHLMMMHJJLMCDBFAAAAAAAAAAGGIKIML"; /* ! to @ */

static unsigned class_of(unsigned char c) {
    if (c == ' ') return 0;
    if (bzr__is_lower(c)) return c - 'a' + 1u;
    if (c > ' ' && c <= '@') return 27u + (unsigned)(marks[c - '!'] - 'A');
    if (c >= 0x80) return CLASSES - 1;
    switch (c) {
    case '[': case ']': case '{': case '}': return 36;
    case '_': return 31;
    case '`': return 34;
    case '\\': return 38;
    default: return CLASSES - 2;
    }
}

static unsigned half_bits(char c) { return (unsigned)(bzr__is_upper(c) ? c - 'A' : c - 'a' + 26); }

/* 2 to the power of -halves / 2, without libm. */
static double power(unsigned halves) {
    double rate = halves & 1 ? 0.70710678118654752 : 1;
    for (unsigned bits = halves / 2; bits; bits--) rate /= 2;
    return rate;
}

static double pair_rate(bzr_str s) {
    unsigned row = 0, halves = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned column = class_of((unsigned char)s.p[i]);
        halves += half_bits(pairs[row][column]);
        row = column + 1;
    }
    return power(halves);
}

/* Counted, not modeled; 2^-21 where it is too rare to be counted. */
static double gram_rate(const char *p, unsigned gram) {
    uint64_t x = 0;
    memcpy(&x, p, gram);
    uint64_t place = bzr__gram_hash(x, gram) >> 48;
    return power(2 * (21 - (unsigned)(bzr__gram_levels[gram - 3][place >> 4] >> (place & 15) * 4 & 15)));
}

double bzr__cost_rate(bzr_str s) {
    unsigned gram = s.n < MOST ? (unsigned)s.n : MOST;
    double rate = pair_rate(s), least = 1;
    if (gram < 3) return rate;
    for (size_t at = 0; at + gram <= s.n; at++) {
        double one = gram_rate(s.p + at, gram);
        if (one < least) least = one;
    }
    return least > power(42) || least < rate ? least : rate;
}
