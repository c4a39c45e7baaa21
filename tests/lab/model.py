"""Closed forms of the alpha-beta law, with T in seconds for N hosts, K bytes, alpha in s, beta in bytes/s."""
import math

CLOSED_FORMS = {
    "ring": lambda n, k, a, b: 2 * (n - 1) * a + 2 * (n - 1) / n * k / b,
    "naive-root": lambda n, k, a, b: 2 * a + 2 * (n - 1) * k / b,
    "recursive-doubling": lambda n, k, a, b: math.log2(n) * (a + k / b),
}


def line(algorithm, n, alpha, beta):
    """(seconds at 0 bytes, seconds per byte)"""
    form = CLOSED_FORMS[algorithm]
    start = form(n, 0, alpha, beta)
    return start, form(n, 1, alpha, beta) - start if beta != math.inf else 0.0


def crossover(low, high, n, alpha, beta):
    """Bytes from which on `high` is faster than `low`; None if their lines do not cross above 0."""
    (a, b), (c, d) = line(low, n, alpha, beta), line(high, n, alpha, beta)
    return (c - a) / (b - d) if b != d and (c - a) / (b - d) > 0 else None


def fit(points):
    """[(bytes, seconds)] -> (seconds at 0 bytes, seconds per byte): least squares of the relative error."""
    if len({x for x, _ in points}) < 2:
        raise ValueError("a line needs two sizes")
    sw = sx = sy = sxx = sxy = 0.0
    for x, y in points:
        w = 1 / y**2
        sw, sx, sy, sxx, sxy = sw + w, sx + w * x, sy + w * y, sxx + w * x * x, sxy + w * x * y
    slope = (sw * sxy - sx * sy) / (sw * sxx - sx * sx)
    return (sy - slope * sx) / sw, slope


def alpha_beta(algorithm, n, points):
    """The alpha and beta that the times of an algorithm show."""
    start, slope = fit(points)
    unit_start, unit_slope = line(algorithm, n, 1.0, 1.0)
    return start / unit_start, unit_slope / slope
