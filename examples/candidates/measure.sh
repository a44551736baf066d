#!/bin/sh
# What a test of an alloy would give: an invented formula of composition and tempering.
# Usage: measure.sh CARBON CHROMIUM NICKEL TEMPER
awk -v carbon="$1" -v chromium="$2" -v nickel="$3" -v temper="$4" 'BEGIN {
    hard = 900 * carbon - 700 * carbon * carbon + 9 * chromium - 0.35 * chromium * chromium
    tough = 14 * nickel - 1.1 * nickel * nickel - ((temper - 430) / 60) ^ 2 * 12
    print 180 + hard + tough + 6 * chromium * carbon
}'
