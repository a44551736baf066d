#!/bin/sh
# A cantilever beam under a load at its end: cost and stress from the dimensions.
# Usage: beam.sh LENGTH WIDTH HEIGHT PROFILE WALL STEEL      (WALL is empty for a solid profile)
# A beam too slender to be handled makes the program fail, as simulators do.
awk -v long="$1" -v width="$2" -v height="$3" -v profile="$4" -v wall="$5" -v steel="$6" 'BEGIN {
    bears["s235"] = 235e6; bears["s355"] = 355e6; bears["s460"] = 460e6
    price["s235"] = 1.0; price["s355"] = 1.15; price["s460"] = 1.4
    if (long / height > 50) { print "too slender to be handled" > "/dev/stderr"; exit 3 }
    inner_width = 0; inner_height = 0
    if (profile == "box" && width > 2 * wall && height > 2 * wall) {
        inner_width = width - 2 * wall; inner_height = height - 2 * wall
    }
    area = width * height - inner_width * inner_height
    inertia = (width * height ^ 3 - inner_width * inner_height ^ 3) / 12
    load = 9000 + 9.81 * 7850 * area * long / 2
    stress = load * long * height / 2 / inertia / bears[steel]
    over = stress > 1 ? stress - 1 : 0
    penalty = 200 * over / (1 + 0.2 * over)
    printf "{\"cost\": %.9g, \"stress\": %.9g}\n", 7850 * area * long * price[steel] + 40 * (3 - long) ^ 2 + penalty, stress
}'
