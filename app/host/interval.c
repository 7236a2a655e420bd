/* interval.c - see interval.h. */
#include "app/host/interval.h"

#include <math.h>

void toad__interval(double p, double n, double *low, double *high) {
    const double z = 1.959963984540054; /* the normal quantile of 0.975 */
    *low = 0, *high = 1;
    if (n <= 0) return;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n),
           reach = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = middle > reach ? middle - reach : 0;
    *high = middle + reach < 1 ? middle + reach : 1;
}
