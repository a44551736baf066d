//! The parser: tokens to a tree, by recursive descent with a limit on the nesting.
//!
//! ```text
//! either     := both ("or" both)*
//! both       := negation ("and" negation)*
//! negation   := "not" negation | comparison
//! comparison := sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)*
//! sum        := product (("+" | "-") product)*
//! product    := signed (("*" | "/" | "%") signed)*
//! signed     := ("-" | "+") signed | power
//! power      := primary ("^" signed)?
//! primary    := number | text | "true" | "false" | name | name "(" either ("," either)* ")" | "(" either ")"
//! ```

use super::ExpressionError;
use super::node::{Factor, Node, Relation, Shape, Sign, Span};
use super::token::{Symbol, Token, tokens};

type Parsed = Result<Node, ExpressionError>;

/// How deep parentheses, calls, powers, signs and negations may be nested.
pub(crate) const NESTING: usize = 64;

/// A parser at a place in its tokens.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// A parser at the beginning of a text.
    pub(crate) fn new(text: &'a str) -> Result<Self, ExpressionError> {
        Ok(Self {
            text,
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
        })
    }

    /// One expression up to where it ends.
    pub(crate) fn expression(&mut self) -> Parsed {
        self.either()
    }

    /// Nothing may follow.
    pub(crate) fn end(&self) -> Result<(), ExpressionError> {
        match self.peek().symbol {
            Symbol::End => Ok(()),
            Symbol::Mark("=") => Err(self.unexpected("`==` (equality has two signs)")),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn mark(&self) -> &'static str {
        match self.peek().symbol {
            Symbol::Mark(mark) => mark,
            _ => "",
        }
    }

    /// Steps over the token; the end is never passed.
    fn advance(&mut self) -> Symbol {
        let symbol = self.peek().symbol.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        symbol
    }

    /// Steps over a mark where it stands here.
    pub(crate) fn accept(&mut self, mark: &str) -> bool {
        let found = self.mark() == mark;
        if found {
            self.advance();
        }
        found
    }

    fn unexpected(&self, expected: &'static str) -> ExpressionError {
        let span = self.peek().span;
        let found = match self.peek().symbol {
            Symbol::End => "the end".to_owned(),
            _ => format!("`{}`", &self.text[span.start..span.end]),
        };
        ExpressionError::Syntax {
            column: span.start + 1,
            expected,
            found,
        }
    }

    /// Parses one level deeper, or refuses.
    fn nested(&mut self, parse: fn(&mut Self) -> Parsed) -> Parsed {
        if self.depth == NESTING {
            return Err(ExpressionError::TooDeep {
                column: self.peek().span.start + 1,
                limit: NESTING,
            });
        }
        self.depth += 1;
        let node = parse(self);
        self.depth -= 1;
        node
    }

    /// A node from the token at `start` up to here.
    fn node(&self, start: usize, shape: Shape) -> Node {
        let end = self.tokens[self.at.saturating_sub(1)].span.end;
        Node {
            span: Span { start, end },
            shape,
        }
    }

    fn start(&self) -> usize {
        self.peek().span.start
    }

    fn either(&mut self) -> Parsed {
        self.joined("or", Self::both, Shape::Any)
    }

    fn both(&mut self) -> Parsed {
        self.joined("and", Self::negation, Shape::All)
    }

    fn joined(&mut self, mark: &str, parse: fn(&mut Self) -> Parsed, shape: fn(Vec<Node>) -> Shape) -> Parsed {
        let start = self.start();
        let first = parse(self)?;
        if self.mark() != mark {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.accept(mark) {
            parts.push(parse(self)?);
        }
        Ok(self.node(start, shape(parts)))
    }

    fn negation(&mut self) -> Parsed {
        let start = self.start();
        if !self.accept("not") {
            return self.comparison();
        }
        let part = self.nested(Self::negation)?;
        Ok(self.node(start, Shape::Not(Box::new(part))))
    }

    fn comparison(&mut self) -> Parsed {
        let start = self.start();
        let first = self.sum()?;
        let mut rest = Vec::new();
        while let Some(relation) = Relation::spelt(self.mark()) {
            self.advance();
            rest.push((relation, self.sum()?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(self.node(start, Shape::Compare(Box::new(first), rest)))
    }

    fn sum(&mut self) -> Parsed {
        let sign = |mark: &str| match mark {
            "+" => Some(Sign::Plus),
            "-" => Some(Sign::Minus),
            _ => None,
        };
        self.series(Sign::Plus, sign, Self::product, Shape::Sum)
    }

    fn product(&mut self) -> Parsed {
        let factor = |mark: &str| match mark {
            "*" => Some(Factor::Times),
            "/" => Some(Factor::Over),
            "%" => Some(Factor::Modulo),
            _ => None,
        };
        self.series(Factor::Times, factor, Self::signed, Shape::Product)
    }

    fn series<T>(
        &mut self,
        first: T,
        operator: fn(&str) -> Option<T>,
        parse: fn(&mut Self) -> Parsed,
        shape: fn(Vec<(T, Node)>) -> Shape,
    ) -> Parsed {
        let start = self.start();
        let node = parse(self)?;
        if operator(self.mark()).is_none() {
            return Ok(node);
        }
        let mut parts = vec![(first, node)];
        while let Some(operator) = operator(self.mark()) {
            self.advance();
            parts.push((operator, parse(self)?));
        }
        Ok(self.node(start, shape(parts)))
    }

    fn signed(&mut self) -> Parsed {
        let start = self.start();
        if self.accept("+") {
            return self.nested(Self::signed);
        }
        if !self.accept("-") {
            return self.power();
        }
        let part = self.nested(Self::signed)?;
        Ok(self.node(start, Shape::Negate(Box::new(part))))
    }

    fn power(&mut self) -> Parsed {
        let start = self.start();
        let base = self.primary()?;
        if !self.accept("^") {
            return Ok(base);
        }
        let exponent = self.nested(Self::signed)?;
        Ok(self.node(start, Shape::Power(Box::new(base), Box::new(exponent))))
    }

    fn primary(&mut self) -> Parsed {
        let start = self.start();
        let shape = match &self.peek().symbol {
            Symbol::Number(number) => Shape::Number(*number),
            Symbol::Text(text) => Shape::Text(text.clone()),
            Symbol::Mark("true") => Shape::Truth(true),
            Symbol::Mark("false") => Shape::Truth(false),
            Symbol::Mark("(") => return self.parenthesis(),
            Symbol::Name(name) => {
                let name = name.clone();
                return self.named(start, name);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.advance();
        Ok(self.node(start, shape))
    }

    fn parenthesis(&mut self) -> Parsed {
        self.advance();
        let inner = self.nested(Self::either)?;
        if self.accept(")") {
            Ok(inner)
        } else {
            Err(self.unexpected("`)` or an operator"))
        }
    }

    fn named(&mut self, start: usize, name: String) -> Parsed {
        self.advance();
        if !self.accept("(") {
            return Ok(self.node(start, Shape::Name(name)));
        }
        let mut arguments = Vec::new();
        while !self.accept(")") {
            if !arguments.is_empty() && !self.accept(",") {
                return Err(self.unexpected("`,` or `)`"));
            }
            arguments.push(self.nested(Self::either)?);
        }
        Ok(self.node(start, Shape::Call(name, arguments)))
    }
}
