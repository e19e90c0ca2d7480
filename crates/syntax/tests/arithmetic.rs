//! Arithmetic: constants, trees, and the errors that bash reports.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

use hookshell_syntax::ast::{ArithmeticExpression as E, BinaryOperator as B};
use hookshell_syntax::{Dialect, NumberError, parse_arithmetic, parse_number};

#[test]
fn constants_have_the_values_that_bash_gives_them() {
    let cases: &[(&str, Option<Result<i64, NumberError>>)] = &[
        ("0", Some(Ok(0))),
        ("12", Some(Ok(12))),
        ("010", Some(Ok(8))),
        ("0x1F", Some(Ok(31))),
        ("0Xa", Some(Ok(10))),
        ("0x", Some(Ok(0))),
        ("2#101", Some(Ok(5))),
        ("16#fF", Some(Ok(255))),
        ("36#Z", Some(Ok(35))),
        ("37#Z", Some(Err(NumberError::ValueTooGreat))),
        ("62#Z", Some(Ok(61))),
        ("64#@", Some(Ok(62))),
        ("64#_", Some(Ok(63))),
        ("9223372036854775807", Some(Ok(i64::MAX))),
        ("9223372036854775808", Some(Ok(i64::MIN))),
        ("99999999999999999999", Some(Ok(7_766_279_631_452_241_919))),
        ("08", Some(Err(NumberError::ValueTooGreat))),
        ("1a", Some(Err(NumberError::ValueTooGreat))),
        ("2#2", Some(Err(NumberError::ValueTooGreat))),
        ("1#0", Some(Err(NumberError::InvalidBase))),
        ("65#1", Some(Err(NumberError::InvalidBase))),
        ("2#", Some(Err(NumberError::InvalidConstant))),
        ("2#1#1", Some(Err(NumberError::InvalidNumber))),
        ("", None),
        ("a", None),
        ("-1", None),
        ("1.5", None),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_number(text.as_bytes(), Dialect::Bash), *expected, "{text}");
    }
    assert_eq!(parse_number(b"2#1", Dialect::Posix), Some(Err(NumberError::InvalidConstant)));
}

#[test]
fn errors_are_those_of_bash() {
    let cases: &[(&str, &str)] = &[
        ("1+", "syntax error: operand expected (error token is \"+\")"),
        ("*", "syntax error: operand expected (error token is \"*\")"),
        ("++", "syntax error: operand expected (error token is \"+\")"),
        ("x=", "syntax error: operand expected (error token is \"=\")"),
        ("5++ ", "syntax error: operand expected (error token is \"+ \")"),
        ("1 2", "syntax error in expression (error token is \"2\")"),
        ("a b", "syntax error in expression (error token is \"b\")"),
        ("1 @ 2", "syntax error: invalid arithmetic operator (error token is \"@ 2\")"),
        ("1.5", "syntax error: invalid arithmetic operator (error token is \".5\")"),
        ("'1' + 2 ", "syntax error: operand expected (error token is \"'1' + 2 \")"),
        ("1?", "expression expected (error token is \"?\")"),
        ("1?2", "`:' expected for conditional expression (error token is \"2\")"),
        ("1=2", "attempted assignment to non-variable (error token is \"=2\")"),
        ("(1", "missing `)' (error token is \"1\")"),
        ("08", "value too great for base (error token is \"08\")"),
        ("1 + 08 + 2", "value too great for base (error token is \"08\")"),
        ("65#1", "invalid arithmetic base (error token is \"65#1\")"),
        ("2#", "invalid integer constant (error token is \"2#\")"),
        ("a[", "bad array subscript (error token is \"a[\")"),
        ("(x)=5", "attempted assignment to non-variable (error token is \"=5\")"),
        ("x++=5", "attempted assignment to non-variable (error token is \"=5\")"),
    ];
    for (text, expected) in cases {
        let error = parse_arithmetic(text.as_bytes(), Dialect::Bash, 100).unwrap_err();
        assert_eq!(error.to_string(), *expected, "{text}");
        assert!(text.as_bytes()[error.offset..].starts_with(&error.token), "{text}");
    }
}

fn evaluate(expression: &E) -> i64 {
    match expression {
        E::Number(number) => *number,
        E::Unary(operator, inner) => {
            let value = evaluate(inner);
            match operator {
                hookshell_syntax::ast::UnaryOperator::Plus => value,
                hookshell_syntax::ast::UnaryOperator::Minus => -value,
                hookshell_syntax::ast::UnaryOperator::Not => i64::from(value == 0),
                hookshell_syntax::ast::UnaryOperator::Complement => !value,
            }
        }
        E::Binary(operator, left, right) => {
            let (left, right) = (evaluate(left), evaluate(right));
            match operator {
                B::Power => left.pow(u32::try_from(right).unwrap()),
                B::Multiply => left * right,
                B::Divide => left / right,
                B::Remainder => left % right,
                B::Add => left + right,
                B::Subtract => left - right,
                B::ShiftLeft => left << right,
                B::ShiftRight => left >> right,
                B::Less => i64::from(left < right),
                B::LessEqual => i64::from(left <= right),
                B::Greater => i64::from(left > right),
                B::GreaterEqual => i64::from(left >= right),
                B::Equal => i64::from(left == right),
                B::NotEqual => i64::from(left != right),
                B::BitAnd => left & right,
                B::BitXor => left ^ right,
                B::BitOr => left | right,
                B::And => i64::from(left != 0 && right != 0),
                B::Or => i64::from(left != 0 || right != 0),
                B::Comma => right,
            }
        }
        E::Conditional(parts) => evaluate(if evaluate(&parts[0]) == 0 { &parts[2] } else { &parts[1] }),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_bind_and_group_as_in_bash() {
    let cases: &[(&str, i64)] = &[
        ("", 0),
        (" \t\n", 0),
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("7-2-1", 4),
        ("100/5/2", 10),
        ("7%4", 3),
        ("2**3**2", 512),
        ("-2**2", 4),
        ("2*3**2", 18),
        ("1<<2+1", 8),
        ("16>>1>>1", 4),
        ("1<2", 1),
        ("2<=1", 0),
        ("1<2==1", 1),
        ("1!=2", 1),
        ("6&3|8", 10),
        ("6^3", 5),
        ("1|2^3&4", 3),
        ("1||0&&0", 1),
        ("!0", 1),
        ("!!5", 1),
        ("~0", -1),
        ("- -5", 5),
        ("--5", 5),
        ("++5", 5),
        ("-+-5", 5),
        ("1?2:3", 2),
        ("0?2:3", 3),
        ("0?1:0?2:3", 3),
        ("1?2,4:3", 4),
        ("1,2,3", 3),
        ("1 ? 2 : 3 , 5", 5),
        ("5--3", 8),
        ("5- -3", 8),
    ];
    for (text, expected) in cases {
        let expression = parse_arithmetic(text.as_bytes(), Dialect::Bash, 100).unwrap();
        assert_eq!(evaluate(&expression), *expected, "{text}");
    }
}

#[test]
fn variables_assignments_and_steps() {
    let cases: &[(&str, &str)] = &[
        ("x", "Variable(x)"),
        ("x=1", "Assign(x None Number(1))"),
        ("x += y = 2", "Assign(x Some(Add) Assign(y None Number(2)))"),
        ("x <<= 1", "Assign(x Some(ShiftLeft) Number(1))"),
        ("++x", "Step(x 1 false)"),
        ("-- x", "Step(x -1 false)"),
        ("x++", "Step(x 1 true)"),
        ("x --", "Step(x -1 true)"),
        ("x+++y", "Binary(Add Step(x 1 true) Variable(y))"),
        ("x[1]", "Variable(x[1])"),
        ("x[y[2]+1]++", "Step(x[y[2]+1] 1 true)"),
        ("x[a b]", "Variable(x[a b])"),
        ("x[@]", "Variable(x[@])"),
    ];
    for (text, expected) in cases {
        let expression = parse_arithmetic(text.as_bytes(), Dialect::Bash, 100).unwrap();
        assert_eq!(show(&expression), *expected, "{text}");
    }
    for text in ["x**2", "1,2", "x[1]"] {
        assert!(parse_arithmetic(text.as_bytes(), Dialect::Posix, 100).is_err(), "{text}");
    }
}

fn show(expression: &E) -> String {
    use bstr::ByteSlice;
    use hookshell_syntax::ast::{ArithmeticVariable, Subscript};
    let variable = |variable: &ArithmeticVariable| {
        let subscript = match variable.subscript.as_deref() {
            None => String::new(),
            Some(Subscript::All) => "[@]".into(),
            Some(Subscript::Star) => "[*]".into(),
            Some(Subscript::Index(index)) => match index.key.literal() {
                Some(key) => format!("[{}]", key.as_bstr()),
                None => format!("{:?}", index.key.shape),
            },
        };
        format!("{}{subscript}", variable.name)
    };
    match expression {
        E::Variable(inner) => format!("Variable({})", variable(inner)),
        E::Assign(name, operator, value) => format!("Assign({} {operator:?} {})", variable(name), show(value)),
        E::Step { variable: inner, by, postfix } => format!("Step({} {by} {postfix})", variable(inner)),
        E::Binary(operator, left, right) => format!("Binary({operator:?} {} {})", show(left), show(right)),
        other => format!("{other:?}"),
    }
}
