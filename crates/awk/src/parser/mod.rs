//! Reads an awk program into its tree (POSIX XCU awk, Grammar).

mod expression;
mod names;
mod statement;

use super::ast::{Function, Pattern, Program, Rule};
use super::lexer::{Complaint, Keyword, Lexer, Symbol, Token};
use names::Names;

/// How deep expressions and statements may be nested: the parser and the compiler recurse.
const MAX_DEPTH: usize = 120;

/// Why a program cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) what: Complaint,
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Complaint::Unsupported(what) | Complaint::Mistake(what)) = &self.what;
        write!(f, "line {}: {what}", self.line)
    }
}

/// Reads a program.
pub(super) fn parse(source: &[u8]) -> Result<Program, SyntaxError> {
    let mut parser = Parser::new(source);
    parser.program().map_err(|what| SyntaxError { line: parser.line, what })
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token, and the line that it stands on.
    token: Token,
    line: usize,
    names: Names,
    program: Program,
    depth: usize,
    loop_depth: usize,
    /// Where the statement that is being read stands.
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    BeginOrEnd,
    Rule,
    Function,
}

impl<'a> Parser<'a> {
    fn new(source: &'a [u8]) -> Self {
        Self {
            lexer: Lexer::new(source),
            token: Token::Newline,
            line: 1,
            names: Names::new(),
            program: Program::default(),
            depth: 0,
            loop_depth: 0,
            place: Place::Rule,
        }
    }

    fn advance(&mut self) -> Result<Token, Complaint> {
        self.line = self.lexer.line;
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn is(&self, symbol: Symbol) -> bool {
        self.token == Token::Symbol(symbol)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.token == Token::Keyword(keyword)
    }

    fn take(&mut self, symbol: Symbol) -> Result<bool, Complaint> {
        let found = self.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: Symbol) -> Result<(), Complaint> {
        if self.take(symbol)? { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Complaint {
        let token = match &self.token {
            Token::Newline => "end of line".to_owned(),
            Token::End => "end of file".to_owned(),
            _ => String::from_utf8_lossy(self.lexer.last()).into_owned(),
        };
        Complaint::Mistake(format!("syntax error at or near {token}"))
    }

    /// After an element of a list in parentheses: their end, or a comma and one more.
    fn after_element(&mut self) -> Result<(), Complaint> {
        self.skip_newlines()?;
        if !self.is(Symbol::ParenClose) {
            self.expect(Symbol::Comma)?;
            self.skip_newlines()?;
            if self.is(Symbol::ParenClose) {
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    fn skip_newlines(&mut self) -> Result<(), Complaint> {
        while self.token == Token::Newline {
            self.advance()?;
        }
        Ok(())
    }

    /// Newlines and semicolons between items.
    fn skip_terminators(&mut self) -> Result<(), Complaint> {
        while self.token == Token::Newline || self.is(Symbol::Semicolon) {
            self.advance()?;
        }
        Ok(())
    }

    /// Counts a level of nesting.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Complaint>) -> Result<T, Complaint> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} levels of nesting").into());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn program(&mut self) -> Result<Program, Complaint> {
        self.advance()?;
        self.skip_terminators()?;
        while self.token != Token::End {
            self.item()?;
            self.skip_terminators()?;
        }
        let mut program = std::mem::take(&mut self.program);
        program.differing = self.lexer.differing.or(program.differing);
        if self.names.has_gawk {
            program.differing = Some("a variable of gawk's");
        }
        std::mem::take(&mut self.names).resolve(&mut program)?;
        Ok(program)
    }

    fn item(&mut self) -> Result<(), Complaint> {
        match &self.token {
            Token::Keyword(Keyword::Function) => {
                self.advance()?;
                self.function()
            }
            Token::Keyword(keyword @ (Keyword::Begin | Keyword::End)) => {
                let is_begin = *keyword == Keyword::Begin;
                self.advance()?;
                self.place = Place::BeginOrEnd;
                let action = self.action()?;
                if is_begin {
                    self.program.begin.push(action);
                } else {
                    self.program.end.push(action);
                }
                Ok(())
            }
            _ => {
                self.place = Place::Rule;
                let rule = self.rule()?;
                self.program.rules.push(rule);
                Ok(())
            }
        }
    }

    fn rule(&mut self) -> Result<Rule, Complaint> {
        let pattern = if self.is(Symbol::BraceOpen) {
            Pattern::Always
        } else {
            let first = self.expression()?;
            if self.take(Symbol::Comma)? {
                self.skip_newlines()?;
                Pattern::Range(first, self.expression()?)
            } else {
                Pattern::Expression(first)
            }
        };
        let action = if self.is(Symbol::BraceOpen) {
            Some(self.action()?)
        } else if matches!(self.token, Token::Newline | Token::End | Token::Symbol(Symbol::Semicolon)) {
            None
        } else {
            return Err(self.unexpected());
        };
        Ok(Rule { pattern, action })
    }

    fn function(&mut self) -> Result<(), Complaint> {
        let name = match self.advance()? {
            Token::Name(name) | Token::CallName(name) => name,
            _ => return Err(self.unexpected()),
        };
        let index = self.names.define_function(&name)?;
        self.expect(Symbol::ParenOpen)?;
        let mut parameters: Vec<Box<[u8]>> = Vec::new();
        self.skip_newlines()?;
        while !self.is(Symbol::ParenClose) {
            match self.advance()? {
                Token::Name(parameter) if !parameters.contains(&parameter) => parameters.push(parameter),
                _ => return Err(self.unexpected()),
            }
            self.after_element()?;
        }
        self.advance()?;
        self.skip_newlines()?;
        self.names.enter_function(index, &parameters)?;
        self.place = Place::Function;
        let body = self.action()?;
        self.names.leave_function();
        self.program.functions.push(Function { name, parameters: vec![false; parameters.len()], body });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn programs_are_accepted() {
        for source in [
            "",
            "{print}",
            "BEGIN{x=1;;y=2}\n\n;END{}",
            "/a/,/b/",
            "NR==1\nNR==2{print}",
            "{ if (x) print; else print 2 }",
            "{ if (x)\nprint\nelse\nif (y) { } else ; }",
            "{ while (i<3) i++; do { i-- } while (i)\n for (;;) break }",
            "function f(a,b)\n{ return a+b }\nBEGIN { print f(1,2) }",
            "{ print (1,2) > \"x\"; print(1)(2); print 1, 2 >> \"y\"; print | \"cat\" }",
            "{ while ((\"cmd\" | getline line) > 0) n++; getline < \"f\"; getline x < \"f\" \"g\" }",
            "{ if (($1,2) in a) delete a[1,2]; for ((i) in a) print i }".replace("((i) in", "(i in").as_str(),
            "{ print a / b / c; print /x/ ? 1 : 0; x /= 2; print 1 /2/ 3 }",
            "{ print $NF-1, $i++, -x^2, !x ~ y, a\" \"b, length, length($0) }",
            "{ print 1,\n2; x = y &&\nz ||\nw }",
            "{ printf(\"%s\\n\", $1) > \"/dev/stderr\" }",
            "{ printf \"%s\" , $1 | \"sort\" }",
            "{ $(NF+1) = a = b += 3 } # comment\n",
            "BEGIN { printf \"a\" ; exit }",
            "BEGIN{for(i=0;i<3;i++)for(j in a)if(i in a)continue;else{break}}",
        ] {
            assert!(parse(source.as_bytes()).is_ok(), "{source}: {:?}", parse(source.as_bytes()).err());
        }
    }

    #[test]
    fn what_is_no_program_is_refused() {
        for source in [
            "{",
            "}",
            "BEGIN",
            "BEGIN\n{}",
            "{ print ( }",
            "{ x = }",
            "{ f(1) }",
            "/a",
            "\"a",
            "{ 1 = 2 }",
            "{ a[1]; a }",
            "function f(a,a){}",
            "function f(x){} function f(y){}",
            "{ next } END { next }",
            "{ break }",
            "{ return }",
            "{ a < b < c }",
            "{ print 0x1f }",
            "{ (1,2) }",
            "function NR(x){}",
            "{ for (i in 3) x }",
            "function f(a){a[1]} BEGIN{f(1)}",
            "function f(a){} BEGIN{f(1,2)}",
            "{ print @x }",
            "{ cmd |& getline }",
        ] {
            assert!(parse(source.as_bytes()).is_err(), "{source}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_not_a_crash() {
        // Shell code has stacks of 64 MiB; the limit must hold in far less.
        let check = || {
            let deep = |open: &str, close: &str| format!("BEGIN{{x={}1{}}}", open.repeat(20_000), close.repeat(20_000));
            for (open, close) in [("(", ")"), ("-", ""), ("!", ""), ("$", ""), ("1?", ":1"), ("2^", ""), ("a[", "]")] {
                assert!(parse(deep(open, close).as_bytes()).is_err());
            }
            let blocks = format!("BEGIN{}{}", "{".repeat(20_000), "}".repeat(20_000));
            assert!(parse(blocks.as_bytes()).is_err());
        };
        std::thread::Builder::new().stack_size(8 << 20).spawn(check).unwrap().join().unwrap();
    }
}
