//! The names of a program: slots, and which of them are arrays.

use std::collections::HashMap;

use crate::ast::{Program, SPECIAL_NAMES, Variable, slot};
use crate::lexer::Complaint;

/// Functions of gawk's that are not done here.
const GAWKS: [&[u8]; 6] = [b"bindtextdomain", b"dcgettext", b"dcngettext", b"isarray", b"mkbool", b"typeof"];

/// gawk's own variables and patterns, which mean nothing elsewhere: programs that use them are gawk's.
const GAWK_VARIABLES: [&[u8]; 8] =
    [b"ARGIND", b"BEGINFILE", b"ENDFILE", b"ERRNO", b"FIELDWIDTHS", b"FUNCTAB", b"RT", b"SYMTAB"];

/// Variables of gawk's that mean something here.
pub(crate) fn is_gawk(slot: u32) -> bool {
    matches!(slot, slot::FPAT | slot::IGNORECASE | slot::PROCINFO)
}

/// What a name is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Unknown,
    Scalar,
    Array,
}

/// A variable of the whole program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Global(usize),
    /// A parameter of a function.
    Parameter(usize, usize),
}

#[derive(Debug, Default)]
struct FunctionNames {
    name: Box<[u8]>,
    is_defined: bool,
    parameters: Vec<Kind>,
    /// Its index among the bodies, in order of definition.
    body: usize,
}

/// The names that were seen so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    globals: HashMap<Box<[u8]>, usize>,
    global_names: Vec<Box<[u8]>>,
    global_kinds: Vec<Kind>,
    functions: Vec<FunctionNames>,
    function_places: HashMap<Box<[u8]>, usize>,
    /// A variable of gawk's was named that means something here.
    pub(super) has_gawk: bool,
    defined: usize,
    /// The function that is being read.
    current: Option<(usize, Vec<Box<[u8]>>)>,
    /// Bare names that were given to functions: what is an array there is one here.
    passed: Vec<(Owner, usize, usize)>,
    /// The numbers of arguments.
    calls: Vec<(usize, usize)>,
    /// Arguments that are no bare names, so no arrays.
    scalars: Vec<(usize, usize)>,
}

/// A name is a function's and a variable's.
fn variable_too(name: &[u8]) -> Complaint {
    Complaint::Mistake(format!("the function {} is a variable too", name.escape_ascii()))
}

impl Names {
    pub(super) fn new() -> Self {
        let mut names = Self::default();
        for (at, name) in SPECIAL_NAMES.iter().enumerate() {
            names.globals.insert((*name).into(), at);
            names.global_names.push((*name).into());
            let is_array = [slot::ENVIRON, slot::ARGV, slot::PROCINFO].contains(&(at as u32));
            names.global_kinds.push(if is_array { Kind::Array } else { Kind::Scalar });
        }
        names
    }

    /// The slot of a name.
    pub(super) fn variable(&mut self, name: &[u8]) -> Result<Variable, Complaint> {
        if let Some((_, parameters)) = &self.current
            && let Some(at) = parameters.iter().position(|parameter| **parameter == *name)
        {
            return Ok(Variable::Local(at as u32));
        }
        if let Some(at) = self.globals.get(name) {
            self.has_gawk |= is_gawk(*at as u32);
            return Ok(Variable::Global(*at as u32));
        }
        if GAWK_VARIABLES.contains(&name) {
            return Err(format!("the variable {}", name.escape_ascii()).into());
        }
        let at = self.global_names.len();
        self.globals.insert(name.into(), at);
        self.global_names.push(name.into());
        self.global_kinds.push(Kind::Unknown);
        Ok(Variable::Global(at as u32))
    }

    fn owner(&self, variable: Variable) -> Option<Owner> {
        Some(match variable {
            Variable::Global(at) => Owner::Global(at as usize),
            Variable::Local(at) => Owner::Parameter(self.current.as_ref()?.0, at as usize),
        })
    }

    fn kind(&mut self, owner: Owner) -> Option<&mut Kind> {
        match owner {
            Owner::Global(at) => self.global_kinds.get_mut(at),
            Owner::Parameter(function, at) => self.functions.get_mut(function)?.parameters.get_mut(at),
        }
    }

    /// Notes what a variable is used as; `false` when it is something else already.
    fn set(&mut self, owner: Owner, kind: Kind) -> bool {
        match self.kind(owner) {
            Some(known) if *known == Kind::Unknown => {
                *known = kind;
                true
            }
            Some(known) => *known == kind,
            None => true,
        }
    }

    fn note(&mut self, variable: Variable, kind: Kind) -> Result<(), Complaint> {
        match self.owner(variable) {
            Some(owner) if !self.set(owner, kind) => {
                let known = if kind == Kind::Array { "variable" } else { "array" };
                let name = self.name_of(variable).unwrap_or_default().escape_ascii();
                Err(Complaint::Mistake(format!("illegal reference to {known} {name}")))
            }
            _ => Ok(()),
        }
    }

    fn name_of(&self, variable: Variable) -> Option<&[u8]> {
        match variable {
            Variable::Global(at) => self.global_names.get(at as usize).map(|name| &**name),
            Variable::Local(at) => self.current.as_ref()?.1.get(at as usize).map(|name| &**name),
        }
    }

    /// An array is given for what is none, or the reverse.
    fn wrong_argument(&self, function: usize, at: usize) -> Complaint {
        let name = self.functions.get(function).map_or(&b""[..], |function| &function.name).escape_ascii();
        Complaint::Mistake(format!("type error in arg({}) in call to {name}", at + 1))
    }

    pub(super) fn use_as_array(&mut self, variable: Variable) -> Result<(), Complaint> {
        self.note(variable, Kind::Array)
    }

    pub(super) fn use_as_scalar(&mut self, variable: Variable) -> Result<(), Complaint> {
        self.note(variable, Kind::Scalar)
    }

    /// The index of a function, which may be defined later.
    pub(super) fn function(&mut self, name: &[u8]) -> usize {
        if let Some(at) = self.function_places.get(name) {
            return *at;
        }
        let at = self.functions.len();
        self.functions.push(FunctionNames { name: name.into(), ..FunctionNames::default() });
        self.function_places.insert(name.into(), at);
        at
    }

    pub(super) fn define_function(&mut self, name: &[u8]) -> Result<usize, Complaint> {
        if self.globals.contains_key(name) {
            return Err(variable_too(name));
        }
        let at = self.function(name);
        let body = self.defined;
        if let Some(function) = self.functions.get_mut(at) {
            if function.is_defined {
                return Err(Complaint::Mistake(format!("redefinition of {}", name.escape_ascii())));
            }
            function.is_defined = true;
            function.body = body;
        }
        self.defined += 1;
        Ok(at)
    }

    pub(super) fn enter_function(&mut self, at: usize, parameters: &[Box<[u8]>]) -> Result<(), Complaint> {
        if let Some(function) = self.functions.get_mut(at) {
            function.parameters = vec![Kind::Unknown; parameters.len()];
        }
        for parameter in parameters {
            let function = self.function_places.get(parameter).and_then(|at| self.functions.get(*at));
            if SPECIAL_NAMES.contains(&&**parameter) || function.is_some_and(|function| function.is_defined) {
                return Err(format!("the parameter {}", parameter.escape_ascii()).into());
            }
        }
        self.current = Some((at, parameters.to_vec()));
        Ok(())
    }

    pub(super) fn leave_function(&mut self) {
        self.current = None;
    }

    /// A call, with this many arguments.
    pub(super) fn call(&mut self, function: usize, arguments: usize) {
        self.calls.push((function, arguments));
    }

    /// A bare name that is given to a function.
    pub(super) fn pass(&mut self, variable: Variable, function: usize, at: usize) {
        if let Some(owner) = self.owner(variable) {
            self.passed.push((owner, function, at));
        }
    }

    /// Something else that is given to a function.
    pub(super) fn pass_scalar(&mut self, function: usize, at: usize) {
        self.scalars.push((function, at));
    }

    /// Finds out which names are arrays, and checks the calls.
    pub(super) fn resolve(mut self, program: &mut Program) -> Result<(), Complaint> {
        for function in &self.functions {
            if !function.is_defined {
                let name = function.name.escape_ascii();
                return Err(match GAWKS.contains(&&*function.name) {
                    true => Complaint::Unsupported(format!("the function {name}")),
                    false => Complaint::Mistake(format!("function {name} never defined")),
                });
            }
            if self.globals.contains_key(&function.name) {
                return Err(variable_too(&function.name));
            }
        }
        for (function, count) in std::mem::take(&mut self.calls) {
            if let Some(function) = self.functions.get(function)
                && function.parameters.len() < count
            {
                let name = function.name.escape_ascii();
                return Err(Complaint::Mistake(format!("too many arguments in call to {name}")));
            }
        }
        for (function, at) in std::mem::take(&mut self.scalars) {
            if !self.set(Owner::Parameter(function, at), Kind::Scalar) {
                return Err(self.wrong_argument(function, at));
            }
        }
        let passed = std::mem::take(&mut self.passed);
        loop {
            let mut changed = false;
            for &(owner, function, at) in &passed {
                let parameter = Owner::Parameter(function, at);
                let ours = self.kind(owner).copied().unwrap_or_default();
                let theirs = self.kind(parameter).copied().unwrap_or_default();
                match (ours, theirs) {
                    (Kind::Unknown, Kind::Array) => changed |= self.set(owner, Kind::Array),
                    (Kind::Array, Kind::Unknown) => changed |= self.set(parameter, Kind::Array),
                    (Kind::Array, Kind::Scalar) | (Kind::Scalar, Kind::Array) => {
                        return Err(self.wrong_argument(function, at));
                    }
                    _ => {}
                }
            }
            if !changed {
                break;
            }
        }
        program.globals = self.global_names;
        program.global_arrays = self.global_kinds.iter().map(|kind| *kind == Kind::Array).collect();
        // The bodies are in order of definition, the calls know the order of first mention.
        let mut bodies: Vec<_> = std::mem::take(&mut program.functions).into_iter().map(Some).collect();
        for function in &self.functions {
            if let Some(mut body) = bodies.get_mut(function.body).and_then(Option::take) {
                body.parameters = function.parameters.iter().map(|kind| *kind == Kind::Array).collect();
                program.functions.push(body);
            }
        }
        Ok(())
    }
}
