/* interval.h - how far a share of few can be trusted. */
#ifndef TOAD_APP_INTERVAL_H
#define TOAD_APP_INTERVAL_H

/* 95 % interval of the share `p` of `n` (Wilson 1927, Journal of the American Statistical Association 22, p. 209); `n`
 * may be an effective number. 0 to 1 where n is 0. */
void toad__interval(double p, double n, double *low, double *high);

#endif
