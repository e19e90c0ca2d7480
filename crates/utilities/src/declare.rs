//! Declaring utilities.

/// Declares a utility that keeps nothing from call to call: `read` makes a command of the call, or refuses it, and `run`
/// does it.
macro_rules! utility {
    ($(#[$doc:meta])* $type:ident, $name:literal) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl hookshell_shell::Utility for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn prepare<'a>(
                &'a self,
                call: &hookshell_shell::UtilityCall<'a>,
            ) -> Result<Box<dyn hookshell_shell::Prepared + 'a>, hookshell_shell::Unsupported> {
                $crate::prepare::prepare($name, call, |call| read(call), |running, command| run(running, command))
            }
        }
    };
}
