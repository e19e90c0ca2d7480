//! Lexer, parser and AST for POSIX shell and the bash dialect.
