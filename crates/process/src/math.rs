//! The C library's mathematical functions, as the methods of `f64` of the same meaning.
//!
//! With glibc they are a library of their own, which is loaded when the first of them is called: to load it at the start
//! of every program takes a tenth of the time of one that does nothing, and few scripts calculate.
#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    allow(unsafe_code, reason = "symbols that are looked up have no safe interface")
)]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod library {
    use std::ffi::{CStr, c_void};
    use std::sync::OnceLock;

    /// The address of a function; `None` where there is no such library.
    pub(super) fn symbol(name: &CStr) -> Option<*mut c_void> {
        static LIBRARY: OnceLock<usize> = OnceLock::new();
        // SAFETY: the name ends in a NUL. The library is a part of the C library that this program runs with, and is never
        // unloaded.
        let library =
            *LIBRARY.get_or_init(|| unsafe { libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW) }.expose_provenance());
        if library == 0 {
            return None;
        }
        // SAFETY: the handle is that of a library that is loaded.
        let address = unsafe { libc::dlsym(std::ptr::with_exposed_provenance_mut(library), name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

macro_rules! functions {
    ($($name:ident = $symbol:literal($($argument:ident),*), $method:ident;)*) => {
        $(
            #[doc = concat!("[`f64::", stringify!($method), "`].")]
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            pub fn $name($($argument: f64),*) -> f64 {
                type Function = unsafe extern "C" fn($(functions!(@f64 $argument)),*) -> f64;
                static FUNCTION: std::sync::OnceLock<Option<Function>> = std::sync::OnceLock::new();
                let function = *FUNCTION.get_or_init(|| {
                    // SAFETY: C's function of this name takes and gives numbers of this type.
                    library::symbol($symbol).map(|address| unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(address) })
                });
                // SAFETY: as above; any number is an argument.
                function.map_or(f64::NAN, |function| unsafe { function($($argument),*) })
            }

            #[doc = concat!("[`f64::", stringify!($method), "`].")]
            #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
            pub fn $name($($argument: f64),*) -> f64 {
                f64::$method($($argument),*)
            }
        )*
    };
    (@f64 $argument:ident) => { f64 };
}

functions! {
    acos = c"acos"(x), acos;
    asin = c"asin"(x), asin;
    atan = c"atan"(x), atan;
    atan2 = c"atan2"(y, x), atan2;
    cos = c"cos"(x), cos;
    cosh = c"cosh"(x), cosh;
    exp = c"exp"(x), exp;
    exp2 = c"exp2"(x), exp2;
    exp_m1 = c"expm1"(x), exp_m1;
    hypot = c"hypot"(x, y), hypot;
    ln = c"log"(x), ln;
    ln_1p = c"log1p"(x), ln_1p;
    log10 = c"log10"(x), log10;
    log2 = c"log2"(x), log2;
    powf = c"pow"(x, y), powf;
    sin = c"sin"(x), sin;
    sinh = c"sinh"(x), sinh;
    tan = c"tan"(x), tan;
    tanh = c"tanh"(x), tanh;
}

#[cfg(test)]
mod tests {
    use super::*;

    type OfOne = fn(f64) -> f64;
    type OfTwo = fn(f64, f64) -> f64;

    #[test]
    fn each_function_gives_what_the_method_gives() {
        // Each with the method that it stands for.
        let of_one: [(OfOne, OfOne); 16] = [
            (acos, f64::acos),
            (asin, f64::asin),
            (atan, f64::atan),
            (cos, f64::cos),
            (cosh, f64::cosh),
            (exp, f64::exp),
            (exp2, f64::exp2),
            (exp_m1, f64::exp_m1),
            (ln, f64::ln),
            (ln_1p, f64::ln_1p),
            (log10, f64::log10),
            (log2, f64::log2),
            (sin, f64::sin),
            (sinh, f64::sinh),
            (tan, f64::tan),
            (tanh, f64::tanh),
        ];
        let of_two: [(OfTwo, OfTwo); 3] = [(atan2, f64::atan2), (hypot, f64::hypot), (powf, f64::powf)];
        let numbers = [0.0, -0.0, 0.5, 1.0, -1.0, 2.5, 1e-300, 700.0, f64::INFINITY, f64::NAN];
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        for x in numbers.map(std::hint::black_box) {
            for (index, (ours, method)) in of_one.iter().enumerate() {
                assert!(same(ours(x), method(x)), "function {index} of {x}");
            }
            for y in numbers.map(std::hint::black_box) {
                for (index, (ours, method)) in of_two.iter().enumerate() {
                    assert!(same(ours(x, y), method(x, y)), "function {index} of {x} and {y}");
                }
            }
        }
    }
}
