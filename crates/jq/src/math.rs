//! Functions of numbers. Their results are glibc's to the last digit, but for Bessel's, the error and the gamma functions, which
//! are those of musl and FreeBSD (`libm`).

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum One {
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cbrt,
    Ceil,
    Cos,
    Cosh,
    Exp,
    Exp2,
    Expm1,
    Fabs,
    Floor,
    Log,
    Log10,
    Log1p,
    Log2,
    Logb,
    Nearbyint,
    Rint,
    Round,
    Significand,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
    Trunc,
    Exp10,
    Erf,
    Erfc,
    J0,
    J1,
    /// `lgamma`, and `gamma`, which is the same in glibc.
    Lgamma,
    Tgamma,
    Y0,
    Y1,
}

/// A function of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Two {
    Atan2,
    Copysign,
    Fdim,
    Fmax,
    Fmin,
    Fmod,
    Hypot,
    Ldexp,
    Pow,
    Scalb,
    Scalbln,
    Remainder,
    Nextafter,
    /// The order, which is a whole number, and the value.
    Jn,
    Yn,
}

impl One {
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "acos" => Self::Acos,
            "acosh" => Self::Acosh,
            "asin" => Self::Asin,
            "asinh" => Self::Asinh,
            "atan" => Self::Atan,
            "atanh" => Self::Atanh,
            "cbrt" => Self::Cbrt,
            "ceil" => Self::Ceil,
            "cos" => Self::Cos,
            "cosh" => Self::Cosh,
            "exp" => Self::Exp,
            "exp2" => Self::Exp2,
            "expm1" => Self::Expm1,
            "fabs" => Self::Fabs,
            "floor" => Self::Floor,
            "log" => Self::Log,
            "log10" => Self::Log10,
            "log1p" => Self::Log1p,
            "log2" => Self::Log2,
            "logb" => Self::Logb,
            "nearbyint" => Self::Nearbyint,
            "rint" => Self::Rint,
            "round" => Self::Round,
            "significand" => Self::Significand,
            "sin" => Self::Sin,
            "sinh" => Self::Sinh,
            "sqrt" => Self::Sqrt,
            "tan" => Self::Tan,
            "tanh" => Self::Tanh,
            "trunc" => Self::Trunc,
            "exp10" => Self::Exp10,
            "erf" => Self::Erf,
            "erfc" => Self::Erfc,
            "j0" => Self::J0,
            "j1" => Self::J1,
            "lgamma" | "gamma" => Self::Lgamma,
            "tgamma" => Self::Tgamma,
            "y0" => Self::Y0,
            "y1" => Self::Y1,
            _ => return None,
        })
    }

    pub(super) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Acos => f64::acos(x),
            Self::Acosh => acosh(x),
            Self::Asin => f64::asin(x),
            Self::Asinh => asinh(x),
            Self::Atan => f64::atan(x),
            Self::Atanh => atanh(x),
            Self::Cbrt => x.cbrt(),
            Self::Ceil => x.ceil(),
            Self::Cos => f64::cos(x),
            Self::Cosh => f64::cosh(x),
            Self::Exp => f64::exp(x),
            Self::Exp2 => f64::exp2(x),
            Self::Expm1 => f64::exp_m1(x),
            Self::Fabs => x.abs(),
            Self::Floor => x.floor(),
            Self::Log => f64::ln(x),
            Self::Log10 => f64::log10(x),
            Self::Log1p => f64::ln_1p(x),
            Self::Log2 => f64::log2(x),
            Self::Logb if x == 0.0 => f64::NEG_INFINITY,
            Self::Logb if x.is_infinite() => f64::INFINITY,
            Self::Logb if x.is_nan() => x,
            Self::Logb => f64::from(frexp(x).1 - 1),
            Self::Nearbyint | Self::Rint => x.round_ties_even(),
            Self::Round => x.round(),
            Self::Significand if x == 0.0 || !x.is_finite() => x,
            Self::Significand => frexp(x).0 * 2.0,
            Self::Sin => f64::sin(x),
            Self::Sinh => f64::sinh(x),
            Self::Sqrt => x.sqrt(),
            Self::Tan => f64::tan(x),
            Self::Tanh => f64::tanh(x),
            Self::Trunc => x.trunc(),
            Self::Exp10 => exp10(x),
            Self::Erf => libm::erf(x),
            Self::Erfc => libm::erfc(x),
            Self::J0 => libm::j0(x),
            Self::J1 => libm::j1(x),
            Self::Lgamma => lgamma(x).0,
            Self::Tgamma => libm::tgamma(x),
            Self::Y0 => libm::y0(x),
            Self::Y1 => libm::y1(x),
        }
    }
}

impl Two {
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "atan2" => Self::Atan2,
            "copysign" => Self::Copysign,
            "fdim" => Self::Fdim,
            "fmax" => Self::Fmax,
            "fmin" => Self::Fmin,
            "fmod" => Self::Fmod,
            "hypot" => Self::Hypot,
            "ldexp" => Self::Ldexp,
            "pow" => Self::Pow,
            "scalb" => Self::Scalb,
            "scalbln" => Self::Scalbln,
            "remainder" | "drem" => Self::Remainder,
            "nextafter" | "nexttoward" => Self::Nextafter,
            "jn" => Self::Jn,
            "yn" => Self::Yn,
            _ => return None,
        })
    }

    pub(super) fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Atan2 => f64::atan2(x, y),
            Self::Copysign => x.copysign(y),
            Self::Fdim if x.is_nan() || y.is_nan() => f64::NAN,
            Self::Fdim => {
                if x > y {
                    x - y
                } else {
                    0.0
                }
            }
            Self::Fmax => x.max(y),
            Self::Fmin => x.min(y),
            Self::Fmod => x % y,
            Self::Hypot => f64::hypot(x, y),
            Self::Pow => f64::powf(x, y),
            Self::Remainder => remainder(x, y),
            Self::Nextafter => nextafter(x, y),
            Self::Jn => order(x).map_or(f64::NAN, |order| libm::jn(order, y)),
            Self::Yn => order(x).map_or(f64::NAN, |order| libm::yn(order, y)),
            Self::Scalb if y.is_nan() || y.is_finite() && y.fract() != 0.0 => f64::NAN,
            Self::Scalb if y == f64::INFINITY && x == 0.0 || y == f64::NEG_INFINITY && x.is_infinite() => f64::NAN,
            // What C makes of a number that is no `int`, on the usual machines.
            Self::Ldexp if y.is_nan() || y <= -2_147_483_649.0 || y >= 2_147_483_648.0 => scale(x, -5000.0),
            Self::Scalbln if y.is_nan() || y.abs() >= 9_223_372_036_854_775_808.0 => scale(x, -5000.0),
            Self::Ldexp | Self::Scalb | Self::Scalbln => scale(x, y),
        }
    }
}

/// The logarithm of the absolute value of the gamma function, and the sign of that value.
pub(super) fn lgamma(x: f64) -> (f64, i32) {
    libm::lgamma_r(x)
}

/// The order of a Bessel function as C makes an `int` of it.
fn order(x: f64) -> Option<i32> {
    #[allow(clippy::cast_possible_truncation, reason = "only whole numbers that fit get so far")]
    (x.abs() < f64::from(i32::MAX)).then_some(x as i32)
}

/// The exact rest of the division whose quotient is rounded to the nearest, to an even one in the middle.
fn remainder(x: f64, y: f64) -> f64 {
    if y == 0.0 || !x.is_finite() || y.is_nan() {
        return f64::NAN;
    }
    let size = y.abs();
    // Twice the divisor may be infinite: the rest is `x` then.
    let mut rest = (x % (size * 2.0)).abs();
    if size < 1e-300 {
        if rest + rest > size {
            rest -= size;
            if rest + rest >= size {
                rest -= size;
            }
        }
    } else if rest > size * 0.5 {
        rest -= size;
        if rest >= size * 0.5 {
            rest -= size;
        }
    }
    if x.is_sign_negative() { -rest } else { rest }
}

/// The number beside `x` on the way to `y`.
fn nextafter(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == y {
        y
    } else if x < y {
        x.next_up()
    } else {
        x.next_down()
    }
}

/// glibc's `exp10` (up to 2.38), which is not exact for whole numbers.
fn exp10(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::exp(x);
    }
    if x < -332.0 {
        return 0.0;
    }
    if x > 309.0 {
        return f64::INFINITY;
    }
    if x.abs() < 1.0 / (1_u64 << 56) as f64 {
        return 1.0;
    }
    // 2.4d7637 and 7.6aaa2b05ba95c * 2^-28, in hexadecimal.
    let log10_high = f64::from(0x24d_7637) / f64::from(1 << 24);
    let log10_low = f64::from_bits(0x3e5d_aaa8_ac16_ea57);
    let high = f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000);
    let low = x - high;
    f64::exp(high * log10_high) * f64::exp(high * log10_low + low * std::f64::consts::LN_10)
}

/// From here on the logarithm of a number and that of its inverse hyperbolic function differ by a constant (2^28).
const LARGE: f64 = 268_435_456.0;

/// glibc's `acosh`: the standard library's has other last digits.
fn acosh(x: f64) -> f64 {
    if x.is_nan() || x < 1.0 {
        f64::NAN
    } else if x >= LARGE {
        f64::ln(x) + std::f64::consts::LN_2
    } else if x > 2.0 {
        f64::ln(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()))
    } else {
        let t = x - 1.0;
        f64::ln_1p(t + (2.0 * t + t * t).sqrt())
    }
}

/// glibc's `asinh`.
fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if !x.is_finite() || size < 1.0 / LARGE {
        return x;
    }
    let result = if size > LARGE {
        f64::ln(size) + std::f64::consts::LN_2
    } else if size > 2.0 {
        f64::ln(2.0 * size + 1.0 / ((x * x + 1.0).sqrt() + size))
    } else {
        let t = size * size;
        f64::ln_1p(size + t / (1.0 + (1.0 + t).sqrt()))
    };
    result.copysign(x)
}

/// glibc's `atanh`.
fn atanh(x: f64) -> f64 {
    let size = x.abs();
    if size < 1.0 / LARGE {
        return x;
    }
    let result = if size < 0.5 {
        let t = size + size;
        0.5 * f64::ln_1p(t + t * size / (1.0 - size))
    } else if size < 1.0 {
        0.5 * f64::ln_1p((size + size) / (1.0 - size))
    } else if size > 1.0 || size.is_nan() {
        return f64::NAN;
    } else {
        f64::INFINITY
    };
    result.copysign(x)
}

/// The fraction in [0.5, 1) and the exponent.
pub(super) fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let bits = x.to_bits();
    let exponent = i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    if exponent == 0 {
        // A subnormal number.
        let (fraction, exponent) = frexp(x * 2_f64.powi(64));
        return (fraction, exponent - 64);
    }
    (f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)), exponent - 1022)
}

fn scale(x: f64, by: f64) -> f64 {
    #[allow(clippy::cast_possible_truncation, reason = "clamped")]
    let mut by = by.clamp(-5000.0, 5000.0) as i32;
    let mut x = x;
    while by > 1000 {
        x *= 2_f64.powi(1000);
        by -= 1000;
    }
    // One rounding only: a subnormal result comes of the last step.
    if by < -1000 {
        let (fraction, exponent) = frexp(x);
        let whole = exponent + by;
        if whole >= -1021 {
            return fraction * 2_f64.powi(whole);
        }
        return fraction * 2_f64.powi(-1000) * 2_f64.powi((whole + 1000).max(-1000));
    }
    x * 2_f64.powi(by)
}
