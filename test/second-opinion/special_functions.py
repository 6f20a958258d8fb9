"""Quantiles of Student's t and of the beta distribution with 34 digits, from their definitions."""

from decimal import Decimal, localcontext
from functools import lru_cache
from statistics import NormalDist

DIGITS = 50
WANTED = Decimal(10) ** -34
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
# B(2k) / (2k (2k − 1)) of Stirling's series.
STIRLING = [
    Decimal(n) / Decimal(d)
    for n, d in [(1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156), (-3617, 122400)]
]


def log_gamma(x: Decimal) -> Decimal:
    """ln Γ(x) for x > 0: Stirling's series beyond 200, reached by Γ(x + 1) = x Γ(x)."""
    product = Decimal(1)
    while x < 200:
        product *= x
        x += 1
    power = x
    series = Decimal(0)
    for coefficient in STIRLING:
        series += coefficient / power
        power *= x * x
    return (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + series - product.ln()


def beta_fraction(a: Decimal, b: Decimal, x: Decimal) -> Decimal:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    tiny = Decimal(10) ** -80
    c, d = Decimal(1), 1 - (a + b) * x / (a + 1)
    d = 1 / (d if d else tiny)
    result = d
    m = 1
    while True:
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 + term * d
            d = 1 / (d if d else tiny)
            c = 1 + term / c
            c = c if c else tiny
            result *= c * d
        if abs(c * d - 1) < WANTED / 1000:
            return result
        m += 1


def incomplete_beta(a: Decimal, b: Decimal, x: Decimal) -> Decimal:
    """I_x(a, b), the regularised incomplete beta function."""
    if x <= 0:
        return Decimal(0)
    if x >= 1:
        return Decimal(1)
    front = (log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1 - x).ln()).exp()
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b


@lru_cache(maxsize=None)
def t_quantile(tail: Decimal, freedom: Decimal) -> Decimal:
    """The t beyond which Student's distribution leaves `tail`, less than a half."""
    with localcontext() as context:
        context.prec = DIGITS
        half = Decimal("0.5")
        scale = (log_gamma((freedom + 1) / 2) - log_gamma(freedom / 2)).exp() / (freedom * PI).sqrt()
        # To the right of 0 the tail is convex, so Newton's method from the normal quantile, which is smaller, never overshoots.
        t = Decimal(repr(NormalDist().inv_cdf(1 - float(tail)))) * Decimal("0.999")
        while True:
            beyond = incomplete_beta(freedom / 2, half, freedom / (freedom + t * t)) / 2
            density = scale * (-(freedom + 1) / 2 * (1 + t * t / freedom).ln()).exp()
            step = (beyond - tail) / density
            t += step
            if abs(step) < WANTED * t:
                return t


@lru_cache(maxsize=None)
def exact_lower_bound(in_use: int, surveyed: int, tail: Decimal) -> Decimal:
    """The share with which `in_use` or more of `surveyed` are found with probability `tail` (Clopper and Pearson 1934)."""
    if in_use == 0:
        return Decimal(0)
    with localcontext() as context:
        context.prec = DIGITS

        def found(share: Decimal) -> Decimal:
            """P(X ≥ in_use) of a binomial distribution, its terms added one by one."""
            term = share**surveyed
            total = term
            for k in range(surveyed, in_use, -1):
                term = term * k / (surveyed - k + 1) * (1 - share) / share
                total += term
            return total

        low, high = Decimal(0), Decimal(1)
        while high - low > Decimal(10) ** -30 * high:
            middle = (low + high) / 2
            if found(middle) < tail:
                low = middle
            else:
                high = middle
        return (low + high) / 2
