#!/bin/sh
# Rosenbrock's function: parameters from the file named first, the result into the file named second.
awk '$2 == "x1" { x = $1 }
     $2 == "x2" { y = $1 }
     END { printf "%.15e f\n", 100 * (y - x * x)^2 + (1 - x)^2 }' "$1" > "$2"
