//! Functions of numbers: those whose results do not depend on the C library.

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum One {
    Acos,
    Asin,
    Atan,
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
}

impl One {
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "acos" => Self::Acos,
            "asin" => Self::Asin,
            "atan" => Self::Atan,
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
            _ => return None,
        })
    }

    pub(super) fn apply(self, x: f64) -> f64 {
        match self {
            Self::Acos => x.acos(),
            Self::Asin => x.asin(),
            Self::Atan => x.atan(),
            Self::Cbrt => x.cbrt(),
            Self::Ceil => x.ceil(),
            Self::Cos => x.cos(),
            Self::Cosh => x.cosh(),
            Self::Exp => x.exp(),
            Self::Exp2 => x.exp2(),
            Self::Expm1 => x.exp_m1(),
            Self::Fabs => x.abs(),
            Self::Floor => x.floor(),
            Self::Log => x.ln(),
            Self::Log10 => x.log10(),
            Self::Log1p => x.ln_1p(),
            Self::Log2 => x.log2(),
            Self::Logb if x == 0.0 => f64::NEG_INFINITY,
            Self::Logb if x.is_infinite() => f64::INFINITY,
            Self::Logb if x.is_nan() => x,
            Self::Logb => f64::from(frexp(x).1 - 1),
            Self::Nearbyint | Self::Rint => x.round_ties_even(),
            Self::Round => x.round(),
            Self::Significand if x == 0.0 || !x.is_finite() => x,
            Self::Significand => frexp(x).0 * 2.0,
            Self::Sin => x.sin(),
            Self::Sinh => x.sinh(),
            Self::Sqrt => x.sqrt(),
            Self::Tan => x.tan(),
            Self::Tanh => x.tanh(),
            Self::Trunc => x.trunc(),
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
            _ => return None,
        })
    }

    pub(super) fn apply(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Atan2 => x.atan2(y),
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
            Self::Hypot => x.hypot(y),
            Self::Pow => x.powf(y),
            Self::Scalb if y.is_nan() => f64::NAN,
            Self::Ldexp | Self::Scalb | Self::Scalbln => scale(x, y),
        }
    }
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
