//! Modules in a program: their functions become names that it sees.

use std::sync::Arc;

use super::ast::Import;
use super::module::Library;
use super::parse::{self, Parsed, Rejected};
use super::resolve::{Entry, Refusal, Resolver};

/// How deep modules may import modules: they could import each other.
const MAX_DEPTH: usize = 100;

impl Resolver<'_> {
    /// Brings what a program or a module imports into the scope. `dir` is where the importing file lies.
    pub(super) fn imports(&mut self, imports: &[Import], dir: &str) -> Result<(), Refusal> {
        for import in imports {
            let path = match self.library.find(import, Some(dir)) {
                Ok(path) => path,
                Err(_) if import.is_optional() => continue,
                Err(message) => {
                    // jq ends its message with a newline, and prints one more. It reads no further imports.
                    self.errors.push(format!("jq: error: {message}\n"));
                    return Ok(());
                }
            };
            let read = if import.is_data { self.data(import, &path) } else { self.module(import, &path)? };
            if let Err(message) = read
                && !import.is_optional()
            {
                self.errors.push(format!("jq: error loading data file {path}: {message}\n"));
            }
        }
        Ok(())
    }

    /// `$alias::alias` and `$alias`
    fn data(&mut self, import: &Import, path: &str) -> Result<(), String> {
        let value = self.library.data(import, path)?;
        let alias = import.alias.as_deref().unwrap_or_default();
        for name in [format!("{alias}::{alias}"), alias.to_owned()] {
            self.scope.push(Entry::Data(name.into(), value.clone()));
        }
        Ok(())
    }

    fn module(&mut self, import: &Import, path: &str) -> Result<Result<(), String>, Refusal> {
        if !self.modules.contains_key(path) {
            let source = match self.library.read(path) {
                Ok(source) => source,
                Err(message) => return Ok(Err(message)),
            };
            let parsed = match parse::program(&source, path) {
                Ok(parsed) => parsed,
                Err(Rejected::Unsupported(what)) => return Err(what.into()),
                Err(Rejected::Mistakes(mistakes)) => return Err(Refusal::syntax(&source, path, &mistakes)),
            };
            if parsed.main.is_some() {
                let message = "jq: error: jq: error: library should only have function definitions, not a main expression\n\
                               <unknown location>";
                return Err(Refusal::Wrong(vec![message.to_owned()]));
            }
            let functions = self.compile_module(&parsed, &source, path)?;
            self.modules.insert(path.to_owned(), functions);
        }
        for (name, arity, function) in self.modules.get(path).cloned().unwrap_or_default() {
            let name: Arc<str> = match import.alias.as_deref() {
                Some(alias) if !alias.is_empty() => format!("{alias}::{name}").into(),
                _ => name,
            };
            self.scope.push(Entry::Function { name, arity, function, slots: 0 });
        }
        Ok(Ok(()))
    }

    /// Compiles the functions of a module: they see each other and what it imports, nothing else.
    fn compile_module(
        &mut self,
        parsed: &Parsed,
        source: &[u8],
        path: &str,
    ) -> Result<Vec<(Arc<str>, usize, u32)>, Refusal> {
        if self.module_depth >= MAX_DEPTH {
            // 1.7.1 overflows its stack.
            return Err(Refusal::Wrong(vec![format!("jq: error: circular import of {path}\n")]));
        }
        let scope = std::mem::take(&mut self.scope);
        let slots = std::mem::take(&mut self.slots);
        let outer = std::mem::replace(&mut self.source, source.to_vec());
        let file = std::mem::replace(&mut self.file, path.to_owned());
        self.module_depth += 1;
        let functions = self.module_functions(parsed, path);
        self.module_depth -= 1;
        self.file = file;
        self.source = outer;
        self.scope = scope;
        self.slots = slots;
        functions
    }

    fn module_functions(&mut self, parsed: &Parsed, path: &str) -> Result<Vec<(Arc<str>, usize, u32)>, Refusal> {
        self.imports(&parsed.imports, &Library::dir_of(path))?;
        let mut functions = Vec::new();
        for definition in &parsed.definitions {
            let function = self.definition(definition)?;
            functions.push((definition.name.clone(), definition.params.len(), function));
        }
        Ok(functions)
    }
}
