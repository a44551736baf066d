"""How much a hidden network likes an image of digits.csv: a convolution, rectified units, a weighted sum. Needs nothing but Python."""

import csv
import random
import sys

FILTERS, KERNEL, SIDE = 8, 4, 8


def pixels(name):
    with open("digits.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["image"] == name:
                return [int(value) / 8 - 1 for key, value in row.items() if key != "image"]
    raise SystemExit(f"there is no image {name}")


def liking(image):
    taste, sites = random.Random(7), SIDE - KERNEL + 1
    total = 0.0
    for _ in range(FILTERS):
        weights = [taste.gauss(0, 1) / KERNEL for _ in range(KERNEL * KERNEL)]
        for top in range(sites):
            for left in range(sites):
                patch = [image[SIDE * (top + r) + left + c] for r in range(KERNEL) for c in range(KERNEL)]
                seen = sum(w * x for w, x in zip(weights, patch))
                total += taste.gauss(0, 1) / sites * max(seen, 0.0)
    return total


print(liking(pixels(sys.argv[1])))
