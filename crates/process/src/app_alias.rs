//! App execution aliases: the files of no length in `WindowsApps` that start a program of the Microsoft Store.
//!
//! An alias is a reparse point with the tag `IO_REPARSE_TAG_APPEXECLINK`; its data is a version and texts in UTF-16, each
//! ended by a NUL: the package's family name, the entry point, and the program's path. (Not documented by Microsoft; as
//! read by PowerShell, `fsutil reparsepoint query` and Python's `os.readlink` patches.)

use std::path::Path;

/// `IO_REPARSE_TAG_APPEXECLINK`
const TAG: u32 = 0x8000_001b;

/// What an alias leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppAlias {
    /// The package: `Microsoft.DesktopAppInstaller_8wekyb3d8bbwe`.
    pub package: String,
    /// The program's path.
    pub target: String,
}

impl AppAlias {
    /// What the alias leads to; `None` for every file that is none, and on systems that have none.
    pub fn of(path: &Path) -> Option<Self> {
        #[cfg(windows)]
        return Self::parse(&crate::platform::reparse_point(path)?);
        #[cfg(not(windows))]
        {
            let _ = path;
            None
        }
    }

    /// Reads the data of a reparse point, its header of 8 bytes included.
    pub fn parse(data: &[u8]) -> Option<Self> {
        let number = |at: usize, len: usize| {
            let bytes = data.get(at..at + len)?;
            Some(bytes.iter().rev().fold(0u32, |number, byte| number << 8 | u32::from(*byte)))
        };
        if number(0, 4)? != TAG {
            return None;
        }
        let length = usize::try_from(number(4, 2)?).ok()?;
        // After the header stands the version of the format.
        let texts = data.get(12..8 + length)?;
        let units: Vec<u16> = texts.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let mut texts = units.split(|unit| *unit == 0).map(String::from_utf16_lossy);
        let (package, _entry, target) = (texts.next()?, texts.next()?, texts.next()?);
        Some(Self { package, target })
    }

    /// Is it the one that opens the Store to offer Python, exits 49, and is no Python?
    pub fn is_store_redirector(&self) -> bool {
        let name = self.target.rsplit(['\\', '/']).next().unwrap_or_default().to_ascii_lowercase();
        name.starts_with("appinstallerpythonredirector")
            || self.package.to_ascii_lowercase().starts_with("microsoft.desktopappinstaller")
    }
}

#[cfg(test)]
mod tests {
    use super::AppAlias;

    fn data(tag: u32, texts: &[&str]) -> Vec<u8> {
        let mut body = 3u32.to_le_bytes().to_vec();
        for text in texts {
            body.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        }
        let length = u16::try_from(body.len()).unwrap();
        [&tag.to_le_bytes()[..], &length.to_le_bytes(), &[0, 0], &body].concat()
    }

    #[test]
    fn an_alias_names_its_package_and_target() {
        let redirector = [
            "Microsoft.DesktopAppInstaller_8wekyb3d8bbwe",
            "Microsoft.DesktopAppInstaller_8wekyb3d8bbwe!PythonRedirector",
            r"C:\Program Files\WindowsApps\Microsoft.DesktopAppInstaller_1.21_x64__8wekyb3d8bbwe\AppInstallerPythonRedirector.exe",
            "0",
        ];
        let alias = AppAlias::parse(&data(0x8000_001b, &redirector)).unwrap();
        assert_eq!(alias.package, redirector[0]);
        assert_eq!(alias.target, redirector[2]);
        assert!(alias.is_store_redirector());
        let python = [
            "PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0",
            "PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0!Python",
            r"C:\Program Files\WindowsApps\PythonSoftwareFoundation.Python.3.12_3.12.2544.0_x64__qbz5n2kfra8p0\python3.12.exe",
            "0",
        ];
        assert!(!AppAlias::parse(&data(0x8000_001b, &python)).unwrap().is_store_redirector());
    }

    #[test]
    fn other_data_is_no_alias() {
        let texts = ["a", "b", "c"];
        assert_eq!(AppAlias::parse(&data(0xa000_000c, &texts)), None);
        let whole = data(0x8000_001b, &texts);
        for end in 0..whole.len() {
            assert_eq!(AppAlias::parse(&whole[..end]), None, "{end}");
        }
        assert_eq!(AppAlias::parse(&data(0x8000_001b, &["a"])), None);
    }
}
