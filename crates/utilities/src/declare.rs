//! Declaring utilities.

/// Declares a utility that keeps nothing from call to call: `read` makes a command of the call, or refuses it, and `run`
/// does it. Behind the name stand statuses of its [`Profile`](crate::profile::Profile): `usage: 2, write_error: Some(2)`.
macro_rules! utility {
    ($(#[$doc:meta])* $type:ident, $name:literal $(, $status:ident: $value:expr)*) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl hookshell_utility::Utility for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn prepare<'a>(
                &'a self,
                call: &hookshell_utility::UtilityCall<'a>,
            ) -> Result<Box<dyn hookshell_utility::Prepared + 'a>, hookshell_utility::Unsupported> {
                const PROFILE: $crate::profile::Profile = $crate::profile::Profile::new($name)$(.$status($value))*;
                $crate::prepare::prepare(PROFILE, call, |call| read(call), |running, command| run(running, command))
            }
        }
    };
}
