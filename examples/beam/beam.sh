#!/bin/sh
# The deflection of a tapered steel beam on two supports under its load, in millimetres, at a place.
# Usage: beam.sh X      (metres from the left support; the span is 4 m)
awk -v x="$1" '
function stiffness(s) { return 210e9 * 0.1 * (0.2 - 0.02 * s) ^ 3 / 12 }
function curvature(s) { return -5000 * s * (4 - s) / 2 / stiffness(s) }
BEGIN {
    n = 800; h = 4 / n; slope = 0; w[0] = 0
    for (k = 1; k <= n; k++) {
        turned = slope + h * (curvature((k - 1) * h) + 4 * curvature((k - 0.5) * h) + curvature(k * h)) / 6
        w[k] = w[k - 1] + h * slope + h * h * (2 * curvature((k - 0.5) * h) + curvature((k - 1) * h)) / 6
        slope = turned
    }
    k = int(x / h); if (k > n - 1) k = n - 1
    s = x - k * h
    left = w[k] - w[n] * k / n; right = w[k + 1] - w[n] * (k + 1) / n
    here = left + (right - left) * s / h - curvature(k * h) * s * (h - s) / 2
    printf "%.9g\n", 1000 * here
}'
