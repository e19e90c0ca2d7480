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

            fn accepts(
                &self,
                call: &hookshell_shell::UtilityCall<'_>,
            ) -> Result<(), hookshell_shell::Unsupported> {
                read(call).map(drop)
            }

            fn run(
                &self,
                context: &mut hookshell_shell::UtilityContext<'_>,
            ) -> Result<u8, hookshell_shell::Stopped> {
                $crate::io::Running::run($name, context, |call| read(call), |running, command| run(running, command))
            }
        }
    };
}
