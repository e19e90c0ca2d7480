//! Times: the C locale, glibc's formats.

mod strftime;
mod strptime;

pub(super) use self::strftime::strftime;
pub(super) use self::strptime::strptime;

use hookshell_text::civil::{BrokenDown, Civil, day_number};
use hookshell_utility::zone::Zone;

use super::ops::Outcome;
use super::value::{Value, error};

/// C's `struct tm`, the year in full.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Tm {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    weekday: i64,
    yearday: i64,
}

/// Seconds since the epoch.
pub(super) fn now() -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "microseconds of this century fit")]
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0.0, |time| time.as_secs() as f64 + f64::from(time.subsec_micros()) / 1e6)
}

/// The number of a date's day, months from 0.
fn days(year: i64, month: i64, day: i64) -> i64 {
    day_number(year, month + 1, day)
}

impl Tm {
    fn at(seconds: i64) -> Option<Self> {
        let BrokenDown { civil, weekday, day_of_year } = BrokenDown::from(Civil::from_seconds(seconds));
        let Civil { year, month, day, hour, minute, second } = civil;
        // C's years are an int.
        if i32::try_from(year - 1900).is_err() {
            return None;
        }
        Some(Self { year, month: month - 1, day, hour, minute, second, weekday, yearday: day_of_year })
    }

    fn civil(&self) -> Civil {
        let Self { year, month, day, hour, minute, second, .. } = *self;
        Civil { year, month: month + 1, day, hour, minute, second }
    }

    fn seconds(&self) -> i64 {
        self.civil().seconds()
    }

    /// From jq's array of eight numbers.
    fn of(value: &Value) -> Option<Self> {
        let Value::Array(array) = value else {
            return None;
        };
        let mut fields = [0; 8];
        for (at, field) in fields.iter_mut().enumerate() {
            let number = array.items().get(at)?.as_f64()?;
            #[allow(clippy::cast_possible_truncation, reason = "saturates at an int, as on the usual machines")]
            let number = number as i32;
            *field = i64::from(number);
        }
        let [year, month, day, hour, minute, second, weekday, yearday] = fields;
        Some(Self { year, month, day, hour, minute, second, weekday, yearday })
    }

    fn to_value(self, fraction: f64) -> Value {
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let number = |value: i64| Value::Number(value as f64);
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let second = Value::Number(self.second as f64 + fraction);
        Value::array(vec![
            number(self.year),
            number(self.month),
            number(self.day),
            number(self.hour),
            number(self.minute),
            second,
            number(self.weekday),
            number(self.yearday),
        ])
    }
}

/// `gmtime`
pub(super) fn gmtime(value: &Value) -> Outcome {
    broken_down(value, "gmtime", |_| 0)
}

/// `localtime`
pub(super) fn localtime(value: &Value, zone: &Zone) -> Outcome {
    broken_down(value, "localtime", |seconds| zone.at(seconds).seconds)
}

fn broken_down(value: &Value, name: &str, offset: impl Fn(i64) -> i64) -> Outcome {
    let Some(seconds) = value.as_f64() else {
        return error(format!("{name}() requires numeric inputs"));
    };
    const TOO_FAR: &str = "error converting number of seconds since epoch to datetime";
    if !(-9.2e18..9.2e18).contains(&seconds) {
        return error(TOO_FAR);
    }
    #[allow(clippy::cast_possible_truncation, reason = "in range")]
    let whole = seconds as i64;
    match Tm::at(whole.saturating_add(offset(whole))) {
        Some(tm) => Ok(tm.to_value(seconds - seconds.floor())),
        None => error(TOO_FAR),
    }
}

/// `mktime`
pub(super) fn mktime(value: &Value) -> Outcome {
    let Value::Array(array) = value else {
        return error("mktime requires array inputs");
    };
    let Some(tm) = Tm::of(value).filter(|_| array.len() >= 6) else {
        return error("mktime requires parsed datetime inputs");
    };
    match tm.seconds() {
        -1 => error("invalid gmtime representation"),
        #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
        seconds => Ok(Value::Number(seconds as f64)),
    }
}
