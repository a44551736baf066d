//! The tree of an expression. Others may walk it: every node knows the bytes it came from.

/// The bytes of a node in the text of its expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

/// A node of the tree; two nodes are equal when they have the same shape, wherever they stand.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub shape: Shape,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape
    }
}

/// What a node is. Sums, products and conjunctions are flat, so the depth of a tree is the nesting a person wrote.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// A parameter or a constant.
    Name(String),
    /// `-a`
    Negate(Box<Node>),
    /// `a + b - c`; the first sign is always [`Sign::Plus`].
    Sum(Vec<(Sign, Node)>),
    /// `a * b / c % d`; the first operator is always [`Factor::Times`].
    Product(Vec<(Factor, Node)>),
    /// `a ^ b`
    Power(Box<Node>, Box<Node>),
    /// `a < b <= c`
    Compare(Box<Node>, Vec<(Relation, Node)>),
    /// `not a`
    Not(Box<Node>),
    /// `a and b and c`
    All(Vec<Node>),
    /// `a or b or c`
    Any(Vec<Node>),
    /// `f(a, b)`
    Call(String, Vec<Node>),
}

/// How a term enters its sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Added.
    Plus,
    /// Taken away.
    Minus,
}

/// How a factor enters its product, from the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// Multiplied.
    Times,
    /// Divided by.
    Over,
    /// The remainder, with the sign of the divisor (as in Python).
    Modulo,
}

/// A comparison of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
}

impl Relation {
    /// As it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::Unequal => "!=",
        }
    }

    /// The relation that is written so.
    pub(crate) fn spelt(mark: &str) -> Option<Self> {
        const ALL: [Relation; 6] = [
            Relation::Less,
            Relation::LessEqual,
            Relation::Greater,
            Relation::GreaterEqual,
            Relation::Equal,
            Relation::Unequal,
        ];
        ALL.into_iter().find(|relation| relation.spelling() == mark)
    }

    /// The relation that holds where this one does not (among numbers).
    pub(crate) fn opposite(self) -> Self {
        match self {
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
        }
    }
}

impl Node {
    /// The parts of a node, in the order they were written.
    pub fn children(&self) -> Vec<&Self> {
        match &self.shape {
            Shape::Number(_) | Shape::Text(_) | Shape::Truth(_) | Shape::Name(_) => Vec::new(),
            Shape::Negate(part) | Shape::Not(part) => vec![part],
            Shape::Sum(terms) => terms.iter().map(|(_, term)| term).collect(),
            Shape::Product(factors) => factors.iter().map(|(_, factor)| factor).collect(),
            Shape::Power(base, exponent) => vec![base, exponent],
            Shape::Compare(first, rest) => std::iter::once(&**first)
                .chain(rest.iter().map(|(_, side)| side))
                .collect(),
            Shape::All(parts) | Shape::Any(parts) | Shape::Call(_, parts) => parts.iter().collect(),
        }
    }

    /// Calls `visit` for this node and everything below it, from the left.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.walk(visit));
    }
}
