//! Declaring utilities.

/// Declares a utility that keeps nothing from call to call: `read` makes a command of the call, or refuses it, and `run`
/// does it. After the name stand statuses of its [`Profile`](crate::Profile): `usage: 2, write_error: Some(2)`.
#[macro_export]
macro_rules! utility {
    ($(#[$doc:meta])* $type:ident, $name:literal $(, $status:ident: $value:expr)*) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl $crate::Utility for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn prepare<'a>(
                &'a self,
                call: &$crate::UtilityCall<'a>,
            ) -> Result<Box<dyn $crate::Prepared + 'a>, $crate::Unsupported> {
                const PROFILE: $crate::Profile = $crate::Profile::new($name)$(.$status($value))*;
                $crate::prepare(PROFILE, call, |call| read(call), |running, command| run(running, command))
            }
        }
    };
}
