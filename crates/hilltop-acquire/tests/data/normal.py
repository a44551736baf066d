"""Makes normal.csv: the standard normal functions of improvement, in 400-digit arithmetic.

Run: python normal.py > normal.csv      (mpmath 1.4.1)
"""

from mpmath import erfc, exp, log, mp, mpf, nstr, pi, sqrt

mp.dps = 400  # differences of nearly equal numbers lose many digits below


def row(z):
    z = mpf(z)
    cumulative = erfc(-z / sqrt(2)) / 2
    density = exp(-z * z / 2) / sqrt(2 * pi)
    improvement = z * cumulative + density
    return [z, cumulative, log(cumulative), improvement, log(improvement), cumulative / improvement, density / improvement]


GRID = ["-1e6", "-12345.678", "-1e3", "-300", "-100", "-50", "-40", "-38", "-37", "-30", "-20", "-15", "-10", "-8", "-7"]
GRID += [str(mpf(k) / 8) for k in range(-48, 41, 2)] + ["-2.0001", "-1.9999", "6", "8", "10", "30"]

print("# z, cumulative, log cumulative, improvement, log improvement, cumulative/improvement, density/improvement")
for point in GRID:
    print(",".join(nstr(value, 20, strip_zeros=False) for value in row(point)))
