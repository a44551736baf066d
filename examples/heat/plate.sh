#!/bin/sh
# The temperature of a thin plate at a point, as a thermocouple would read it.
# Usage: plate.sh X Y      (metres from the lower left corner; the plate is 0.4 m by 0.2 m)
# Heat comes in over the edges, in a way that nobody has measured; none is made or lost inside.
awk -v x="$1" -v y="$2" 'BEGIN {
    warm = 20 * exp(10 * (x - 0.4)) * cos(10 * (y - 0.06))
    hot = 15 * exp(-14 * x) * sin(14 * y + 0.5)
    wave = 6 * (exp(9 * (y - 0.1)) + exp(-9 * (y - 0.1))) / 2 * cos(9 * x - 0.6)
    printf "%.9g\n", 30 + warm + hot + wave
}'
