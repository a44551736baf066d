//! What users get wrong, and exactly what they are told: study files, expressions, flags, protocol lines, program outputs.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::Value;
use support::{Desk, PLAIN};

/// A study file, changed from a good one, and a line of what `check` must say.
enum Change {
    /// The whole file.
    Whole(&'static str),
    /// A line before the good file.
    Before(&'static str),
    /// Lines after it.
    After(&'static str),
    /// The table of the parameter `x`.
    Parameter(&'static str),
    /// The table of the output `cost`.
    Output(&'static str),
}
use Change::{After, Before, Output, Parameter, Whole};

impl Change {
    fn file(&self) -> String {
        match self {
            Whole(text) => (*text).to_owned(),
            Before(line) => format!("{line}\n{PLAIN}"),
            After(lines) => format!("{PLAIN}{lines}\n"),
            Parameter(table) => PLAIN.replace("{ float = [0, 1] }", table),
            Output(table) => PLAIN.replace("{ minimize = true }", table),
        }
    }
}

const SHAPE: &str = "a table such as { float = [0, 1] }, { int = [1, 9] }, { choice = [\"a\", \"b\"] }, \
                     { ordered = [\"low\", \"high\"] } or { value = 3.5 }";

const FILES: &[(Change, &str)] = &[
    (
        Whole("name = \"a\nbudget = 5\n"),
        "line 1, column 10: invalid basic string, expected `\"`",
    ),
    (Whole("budget = 5\nbudget = 6\n"), "line 2, column 1: duplicate key"),
    (
        Before("bugdet = 5"),
        "line 1, column 1: bugdet is not a known key: did you mean budget?",
    ),
    (
        Before("seed = -1"),
        "line 1, column 8: seed = -1 is not allowed: a whole number from 0 on",
    ),
    (
        Before("parallel = 0"),
        "line 1, column 12: parallel = 0 is not allowed: a whole number from 1 on",
    ),
    (
        Before("parallel = 5000"),
        "line 1, column 12: parallel = 5000 is not allowed: a whole number from 1 to 1024",
    ),
    (
        Before("noisy = 1"),
        "line 1, column 9: noisy = 1 is not allowed: true or false",
    ),
    (Before("name = 7"), "line 1, column 8: name = 7 is not allowed: a text"),
    (
        Whole("budget = 2.5\n[parameters]\nx = { int = [0, 9] }\n[outputs]\nf = { minimize = true }\n"),
        "line 1, column 10: budget = 2.5 is not allowed: a whole number from 1 on",
    ),
    (
        Whole("[outputs]\ncost = { minimize = true }\n"),
        "line 1, column 1: parameters are missing: add a section [parameters], or [candidates] with a file",
    ),
    (
        Whole("[parameters]\n[outputs]\ncost = { minimize = true }\n"),
        "line 1, column 1: [parameters] is empty: name at least one parameter",
    ),
    (
        Whole("[parameters]\nx = { float = [0, 1] }\n"),
        "line 1, column 1: outputs are missing: add a section [outputs] with cost = { minimize = true }",
    ),
    (
        Output("{ max = 3 }"),
        "line 5, column 1: [outputs] has no objective: exactly one output needs minimize = true or maximize = true",
    ),
    (
        Output("{ minimize = true }\ngain = { maximize = true }"),
        "line 7, column 1: outputs.gain is a second objective beside cost: exactly one is allowed",
    ),
    (
        Output("{ minimize = true, maximize = true }"),
        "line 6, column 1: outputs.cost is both minimised and maximised: choose one",
    ),
    (
        Output("{ minimize = true }\nt = { min = 5, max = 2 }"),
        "line 7, column 5: min = 5 is above max = 2: no value can keep both",
    ),
    (
        Parameter("3"),
        "line 4, column 5: parameters.x = 3 is not allowed: SHAPE",
    ),
    (
        Parameter("{ log = true }"),
        "line 4, column 1: parameters.x says nothing about its values: SHAPE",
    ),
    (
        Parameter("{ float = [0, 1], int = [1, 2] }"),
        "line 4, column 1: parameters.x has float and int: one of them is allowed",
    ),
    (
        Parameter("{ float = [0] }"),
        "line 4, column 15: parameters.x.float = [0] is not allowed: two numbers, [low, high]",
    ),
    (
        Parameter("{ float = [1, 0] }"),
        "line 4, column 15: parameters.x.float = [1, 0] is not allowed: the low end must be below the high one; for a fixed parameter write { value = … }",
    ),
    (
        Parameter("{ float = [nan, 1] }"),
        "line 4, column 16: parameters.x.float[0] = nan is not allowed: a finite number",
    ),
    (
        Parameter("{ float = [0, 1], log = true }"),
        "line 4, column 15: parameters.x.float = [0, 1] is not allowed: with log = true the low end must be above 0",
    ),
    (
        Parameter("{ float = [0, 1], step = 3 }"),
        "line 4, column 30: parameters.x.step = 3 is not allowed: a number above 0 and at most 1, the range",
    ),
    (
        Parameter("{ float = [1, 9], step = 1, log = true }"),
        "line 4, column 30: parameters.x.step = 1 is not allowed: log = true and step exclude each other",
    ),
    (
        Parameter("{ int = [0.5, 3] }"),
        "line 4, column 14: parameters.x.int[0] = 0.5 is not allowed: a whole number",
    ),
    (
        Parameter("{ choice = [\"a\"] }"),
        "line 4, column 16: parameters.x.choice = [\"a\"] is not allowed: a list of at least two options; for a fixed parameter write { value = … }",
    ),
    (
        Parameter("{ choice = [\"a\", \"b\", \"a\"] }"),
        "line 4, column 27: parameters.x.choice[2] = \"a\" is not allowed: this option is listed twice",
    ),
    (
        Parameter("{ value = 2020-01-01 }"),
        "line 4, column 15: parameters.x.value = 2020-01-01 is not allowed: a text, a finite number, true or false",
    ),
    (
        After("[physics]\nequation = \"d(f,x) = d(cost,x)\""),
        "line 8, column 13: physics.equation: the equation says nothing of the objective: all of `f` or `cost` cancels",
    ),
    (
        After("[constraints]\nmax_violation = 0.1"),
        "line 8, column 1: constraints.max_violation has nothing to watch: no output has min or max",
    ),
    (
        After("[evaluate]"),
        "line 7, column 1: [evaluate] needs a command or a problem; leave the section out to ask and tell yourself",
    ),
    (
        After("[evaluate]\ncommand = \"run.sh {x}\""),
        "line 8, column 11: evaluate.command = \"run.sh {x}\" is not allowed: a list of texts, the program first: [\"python3\", \"simulate.py\", \"{length}\"]",
    ),
    (
        After("[evaluate]\ncommand = [\"sh\", \"{y}\"]"),
        "line 8, column 1: the placeholder {y} names no parameter: did you mean {x}?",
    ),
    (
        After("[evaluate]\ncommand = [\"sh\", \"{x\"]"),
        "line 8, column 18: evaluate.command[1] = \"{x\" is not allowed: a { without its }; write {{ for a brace of its own",
    ),
    (
        After("[evaluate]\ncommand = [\"sh\"]\ntimeout = \"soon\""),
        "line 9, column 11: evaluate.timeout = \"soon\" is not allowed: a duration above 0 such as \"250ms\", \"30s\", \"10m\", \"2h\", \"1d\", or a number of seconds",
    ),
    (
        After("[evaluate]\nproblem = \"brainin\""),
        "line 8, column 11: evaluate.problem = \"brainin\" is not allowed: problem `brainin`: there is no such problem; did you mean `branin`?",
    ),
    (
        After("[candidates]\nfile = \"a.csv\""),
        "line 1, column 1: [parameters] and [candidates] exclude each other",
    ),
    (
        Whole("[candidates]\nfile = \"none.csv\"\n[outputs]\ncost = { minimize = true }\n"),
        "line 2, column 8: candidates.file = \"none.csv\" is not allowed: ./none.csv cannot be used: No such file or directory (os error 2)",
    ),
];

const EXPRESSIONS: &[(&str, &str)] = &[
    (
        "x + <= 1",
        "constraints.known[0] = \"x + <= 1\" is not allowed: column 5: expected a value, found `<=`",
    ),
    (
        "z <= 1",
        "constraints.known[0] = \"z <= 1\" is not allowed: there is no parameter z: did you mean x?",
    ),
    (
        "x + 1",
        "the known constraint `x + 1`: column 1: expected a condition, found a number",
    ),
    (
        "sin(x, 1) <= 1",
        "constraints.known[0] = \"sin(x, 1) <= 1\" is not allowed: column 1: `sin` takes 1 argument, found 2",
    ),
    (
        "x == 'a",
        "constraints.known[0] = \"x == 'a\" is not allowed: column 6: the quote ' opened here is never closed",
    ),
    (
        "x == 'a'",
        "the known constraint `x == 'a'`: column 6: a number cannot be compared with a text",
    ),
    (
        "x >= 2",
        "no point satisfies the known constraints: `x >= 2` could not be met; the closest point found misses it by ",
    ),
    (
        "x <= 1e999",
        "constraints.known[0] = \"x <= 1e999\" is not allowed: column 6: the number 1e999 is out of range",
    ),
];

const FLAGS: &[(&[&str], i32, &str)] = &[
    (&["fly"], 2, "error: unrecognized subcommand 'fly'"),
    (
        &["run"],
        2,
        "error: the following required arguments were not provided:",
    ),
    (
        &["run", "none.toml"],
        2,
        "error: none.toml could not be read: No such file or directory (os error 2)",
    ),
    (
        &["run", "study.toml"],
        2,
        "error: the study has no [evaluate] section: add one, or ask and tell by `ask`, `tell` or `session`",
    ),
    (
        &["run", "study.toml", "--fast"],
        2,
        "error: unexpected argument '--fast' found",
    ),
    (
        &["ask", "study.toml", "-n", "0"],
        2,
        "error: invalid value '0' for '--count <K>': a whole number from 1 to 10000",
    ),
    (
        &["run", "study.toml", "--budget", "-3"],
        2,
        "error: invalid value '-3' for '--budget <N>': a whole number from 1 on",
    ),
    (
        &["best", "study.toml", "--store", "none.db"],
        2,
        "error: there is no study at none.db: `hilltop run` or `hilltop ask` begins one",
    ),
    (
        &["best", "study.toml"],
        1,
        "error: no trial has been evaluated yet: hilltop run study.toml",
    ),
    (
        &["tell", "study.toml", "0", "cost"],
        2,
        "error: invalid value 'cost' for '[OUTPUT=VALUE]...': write OUTPUT=VALUE, such as cost=1.25",
    ),
    (
        &["tell", "study.toml", "0", "cost=abc"],
        2,
        "error: invalid value 'cost=abc' for '[OUTPUT=VALUE]...': \"abc\" is not a number",
    ),
    (
        &["tell", "study.toml", "0", "cost=nan"],
        2,
        "error: output cost is NaN, not a finite number; tell the trial as failed instead",
    ),
    (
        &["tell", "study.toml", "0", "price=1"],
        2,
        "error: output price is unknown; the outputs are cost",
    ),
    (
        &["tell", "study.toml", "0", "cost=1", "cost=2"],
        2,
        "error: output cost is given twice",
    ),
    (
        &["tell", "study.toml", "7", "cost=1"],
        1,
        "error: there is no trial 7: 1 have begun",
    ),
    (
        &["export", "study.toml", "--format", "xml"],
        2,
        "error: invalid value 'xml' for '--format <FORMAT>'",
    ),
    (
        &["report", "study.toml", "-o", "none/report.html"],
        1,
        "error: none/report.html could not be written",
    ),
    (
        &["ask", "study.toml", "--store", "postgres://host/db"],
        2,
        "error: a store of the kind postgres is not supported yet: give the path of a SQLite file",
    ),
    (
        &["ask", "study.toml", "--store", "study.toml"],
        1,
        "error: the store study.toml failed: file is not a database: it is no SQLite file; choose another path",
    ),
    (
        &["ask", "seeded.toml", "--store", "study.db"],
        2,
        "error: the stored study differs: seed is 0 in the store and 4 now; choose another store or restore the study file",
    ),
    (
        &["problems", "zebra"],
        2,
        "error: no problem has \"zebra\" in its name or line: `hilltop problems` lists all",
    ),
    (
        &["bench", "--problems", "brainin"],
        2,
        "error: problem `brainin`: there is no such problem; did you mean `branin`?",
    ),
    (
        &["bench", "--problems", "bbob:x"],
        2,
        "error: bbob:x is no suite of problems: write bbob:d2, or bbob:d5:f1+3+6-8:i1-3",
    ),
    (
        &["bench", "--budget", "all"],
        2,
        "error: invalid value 'all' for '--budget <N>': a whole number from 1 to 1000000, or a multiple of the dimension such as 20d",
    ),
    (
        &["bench", "--noise", "-1"],
        2,
        "error: --noise -1 is not allowed: a number from 0 on",
    ),
];

/// Lines after one point was asked and another told.
const LINES: &[(&str, &str, &str)] = &[
    (
        "ask",
        "malformed",
        "the line is not JSON: expected value at line 1 column 1",
    ),
    ("[1]", "malformed", "the line is not a JSON object such as {\"ask\": 1}"),
    (
        "{\"ask\": 1, \"best\": true}",
        "malformed",
        "a line has exactly one command: ask, tell, add or best",
    ),
    (
        "{\"fly\": 1}",
        "unknown-command",
        "there is no command fly: ask, tell, add or best",
    ),
    (
        "{\"ask\": 0}",
        "malformed",
        "ask = 0 is not allowed: a whole number from 1 to 10000",
    ),
    ("{\"best\": false}", "malformed", "best = false is not allowed: true"),
    (
        "{\"tell\": {\"trial\": 0, \"outputs\": {\"cost\": 1}}}",
        "already-told",
        "trial 0 has been told already: it is complete",
    ),
    (
        "{\"tell\": {\"trial\": 9, \"outputs\": {\"cost\": 1}}}",
        "unknown-trial",
        "there is no trial 9: 2 have begun",
    ),
    (
        "{\"tell\": {\"outputs\": {\"cost\": 1}}}",
        "malformed",
        "tell.trial is missing or no trial number",
    ),
    (
        "{\"tell\": {\"trial\": 1}}",
        "malformed",
        "tell needs either outputs or failed",
    ),
    (
        "{\"tell\": {\"trial\": 1, \"outputs\": {\"cost\": \"1\"}}}",
        "bad-outputs",
        "output cost is \"1\", not a number; tell the trial as failed instead",
    ),
    (
        "{\"tell\": {\"trial\": 1, \"outputs\": {}}}",
        "bad-outputs",
        "output cost is missing; the outputs are cost",
    ),
    (
        "{\"tell\": {\"trial\": 1, \"result\": 3}}",
        "malformed",
        "tell.result is not a known key: allowed are trial, outputs, failed, seconds",
    ),
    (
        "{\"add\": {\"parameters\": {\"x\": 0.5}}}",
        "malformed",
        "add.outputs is missing",
    ),
    (
        "{\"add\": {\"parameters\": {\"x\": 5}, \"outputs\": {\"cost\": 1}}}",
        "bad-parameters",
        "the point is not in the space: `x` = 5 is out of bounds [0.0, 1.0]",
    ),
    (
        "{\"add\": {\"parameters\": {\"y\": 5}, \"outputs\": {\"cost\": 1}}}",
        "bad-parameters",
        "the point is not in the space: there is no parameter `y`; the parameters are x",
    ),
    (
        "\u{fffd}",
        "malformed",
        "the line is not JSON: expected value at line 1 column 1",
    ),
];

#[cfg(unix)]
const PROGRAMS: &[(&str, &str)] = &[
    ("true", "nothing was printed on standard output"),
    ("echo nan", "output cost is NaN"),
    ("echo -inf", "output cost is -inf"),
    ("echo done", "neither a number nor a JSON object of outputs: done"),
    ("echo '{{\"price\": 1}}'", "output cost is missing"),
    ("echo '{{\"cost\": null}}'", "output cost is null, not a number"),
    ("echo '[1]'", "neither a number nor a JSON object of outputs: [1]"),
    ("exit 3", "exit code 3"),
    ("echo bad mesh >&2; exit 4", "exit code 4: bad mesh"),
    ("kill -9 $$", "killed by signal 9"),
    ("sleep 9", "timed out after 0.3 s"),
];

#[test]
fn the_table_has_more_than_forty_rows() {
    assert!(FILES.len() + EXPRESSIONS.len() + FLAGS.len() + LINES.len() > 40);
}

#[test]
fn wrong_study_files_are_told_by_key_value_and_line() {
    let desk = Desk::new();
    for (change, expected) in FILES {
        desk.write("study.toml", change.file());
        let said = desk.hilltop(&["check", "study.toml"]);
        let expected = expected.replace("SHAPE", SHAPE);
        let first = format!("error: study.toml: {expected}");
        let told = said
            .err
            .lines()
            .any(|line| line == first || line == format!("  {expected}"));
        assert!(
            told && said.code == 2 && said.out.is_empty(),
            "{}\nexpected {expected}\nsaid {said:?}",
            change.file()
        );
        assert!(said.err.starts_with("error: study.toml"), "{said:?}");
    }
}

#[test]
fn a_file_that_is_not_text_is_told_by_its_byte() {
    let desk = Desk::new();
    desk.write("study.toml", b"name = \"\xff\"\n");
    let said = desk.hilltop(&["check", "study.toml"]);
    let expected = "error: study.toml: line 1, column 9: a byte that is not UTF-8: save the file as UTF-8 text\n";
    assert_eq!((said.code, said.err.as_str()), (2, expected));
}

#[test]
fn several_errors_are_told_together() {
    let desk = Desk::with(&format!("bugdet = 5\n{}", PLAIN.replace("[0, 1]", "[0, inf]")));
    let said = desk.hilltop(&["run", "study.toml"]);
    let expected = "error: study.toml has 2 errors:\n  line 1, column 1: bugdet is not a known key: did you mean budget?\n  \
                    line 5, column 19: parameters.x.float[1] = inf is not allowed: a finite number\n";
    assert_eq!((said.code, said.err.as_str()), (2, expected));
}

#[test]
fn a_wrong_method_is_told_with_what_there_is() {
    let desk = Desk::new();
    let cases = [
        (
            "\"neuralbo\"",
            "method = \"neuralbo\" is not allowed: did you mean neural-bo?",
        ),
        (
            "7",
            "method = 7 is not allowed: a name, or a table with a name and settings",
        ),
        (
            "{ name = \"neural-bo\", widht = 5 }",
            "unknown field `widht`, expected one of `width`, ",
        ),
        ("{ name = \"neural-bo\", width = \"wide\" }", "width"),
        ("{ width = 5 }", "a table with a name"),
    ];
    for (method, expected) in cases {
        desk.write("study.toml", PLAIN.replace("\"random\"", method));
        let said = desk.hilltop(&["check", "study.toml"]);
        assert!(
            said.code == 2 && said.err.starts_with("error: study.toml: line 2, column 1: "),
            "{said:?}"
        );
        assert!(said.err.contains(expected), "{said:?}");
    }
}

const COMPOSED: &str = "{ name = \"compose\", surrogate = \"sto-bnts\", acquisition = \"ei\" }";

#[test]
fn a_method_that_cannot_work_is_refused_by_what_is_wrong_with_it() {
    let desk = Desk::new();
    let beta = |method: &str| format!("{{ name = \"{method}\", beta = {{ name = \"constant\", value = -1.0 }} }}");
    let narrow = |method: &str| format!("{{ name = \"{method}\", width = 0 }}");
    let mut cases = vec![
        (COMPOSED.to_owned(), "ei needs marginals; sto-bnts has paths"),
        (
            COMPOSED.replace("ei", "knowledge-gradient"),
            "knowledge-gradient needs marginals and paths; sto-bnts has paths",
        ),
        (
            COMPOSED.replace("sto-bnts", "dngo").replace("ei", "optimism"),
            "optimism needs weights; dngo has marginals and paths",
        ),
        (
            COMPOSED.replace("sto-bnts", "sto"),
            "unknown variant `sto`, expected one of `ntk`, `sto-bnts`, ",
        ),
    ];
    cases.extend(["neural-ucb", "lin-ucb", "go-ucb"].map(|method| (beta(method), "-1 is not allowed")));
    let trained = [
        "neural-ucb",
        "neural-ts",
        "sto-bnts",
        "deep-ensemble",
        "go-ucb",
        "neural-greedy",
        "dngo",
    ];
    cases.extend(trained.map(|method| (narrow(method), "width = 0 is not allowed")));
    for (method, expected) in cases {
        desk.write("study.toml", PLAIN.replace("\"random\"", &method));
        let said = desk.hilltop(&["check", "study.toml"]);
        assert!(said.code == 2 && said.err.contains(expected), "{method}: {said:?}");
    }
}

#[test]
fn wrong_arms_and_batches_are_told_on_the_command_line() {
    let bandit = "method = \"neural-ucb\"\n[contexts]\nfeatures = 2\n[outputs]\nreward = { maximize = true }\n";
    let desk = Desk::with(bandit);
    for (arms, expected) in [
        (
            "[[0, 0], [0, 0, 0]]",
            "arm 1 has 3 features; every arm of the study has 2",
        ),
        ("[]", "1 of 0 arms cannot be chosen"),
        ("[[0, \"a\"]]", "--arms: "),
        ("[[0, 2]]", "arm 0 cannot be used: "),
    ] {
        let said = desk.hilltop(&["ask", "study.toml", "--arms", arms]);
        assert!(said.code == 2 && said.err.contains(expected), "{arms}: {said:?}");
    }
    let said = desk.hilltop(&["ask", "study.toml"]);
    assert!(said.code == 2 && said.err.contains("give the arms"), "{said:?}");
    let finite = PLAIN.replace("{ float = [0, 1] }", "{ int = [1, 3] }");
    let desk = Desk::with(&finite);
    let said = desk.hilltop(&["ask", "study.toml", "-n", "4"]);
    let expected = "error: 4 different points cannot be asked for at once: the space has 3\n";
    assert_eq!((said.code, said.err.as_str()), (2, expected));
    assert_eq!(desk.hilltop(&["ask", "study.toml", "-n", "3"]).ok().lines().count(), 3);
    desk.write("points.csv", "a,b,c\n1,2,3\n4,5,6\n");
    let arrays = "[candidates]\nfile = \"points.csv\"\nshape = [2, 2]\n[outputs]\ncost = { minimize = true }\n";
    desk.write("study.toml", arrays);
    let said = desk.hilltop(&["check", "study.toml"]);
    assert!(
        said.code == 2 && said.err.contains("the shape [2, 2] has 4 places"),
        "{said:?}"
    );
}

#[test]
fn wrong_expressions_are_told_by_column() {
    let desk = Desk::new();
    for (expression, expected) in EXPRESSIONS {
        desk.write(
            "study.toml",
            format!("{PLAIN}[constraints]\nknown = [\"{expression}\"]\n"),
        );
        let said = desk.hilltop(&["check", "study.toml"]);
        assert!(
            said.code == 2 && said.err.contains(&format!(": {expected}")),
            "{expression}: {said:?}"
        );
    }
}

#[test]
fn wrong_flags_are_told_on_one_line_first() {
    let desk = Desk::with(PLAIN);
    desk.write("seeded.toml", format!("seed = 4\n{PLAIN}"));
    desk.hilltop(&["ask", "study.toml"]).ok();
    for (arguments, code, expected) in FLAGS {
        let said = desk.hilltop(arguments);
        assert_eq!(
            (said.code, said.err.lines().next()),
            (*code, Some(*expected)),
            "{arguments:?}"
        );
        assert_eq!(said.out, "", "{arguments:?}");
    }
    assert!(!desk.path("none.db").exists());
}

#[test]
fn wrong_lines_are_answered_and_the_session_goes_on() {
    let desk = Desk::with(PLAIN);
    desk.feed(
        &["session", "study.toml"],
        "{\"ask\": 2}\n{\"tell\": {\"trial\": 0, \"outputs\": {\"cost\": 1}}}\n",
    )
    .ok();
    let input: Vec<&str> = LINES.iter().flat_map(|(line, ..)| [*line, "\n"]).collect();
    let out = desk.feed(&["session", "study.toml"], input.concat()).ok();
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), LINES.len());
    for ((line, code, message), answer) in LINES.iter().zip(answers) {
        let error = &answer["error"];
        assert_eq!(
            (error["code"].as_str(), error["message"].as_str()),
            (Some(*code), Some(*message)),
            "{line}"
        );
    }
    let raw = desk.feed(&["session", "study.toml"], b"\xff\xfe\n").ok();
    assert_eq!(
        raw,
        "{\"error\":{\"code\":\"malformed\",\"message\":\"the line is not UTF-8 text\"}}\n"
    );
}

#[cfg(unix)]
#[test]
fn wrong_outputs_of_programs_are_failures_with_their_reason() {
    for (program, reason) in PROGRAMS {
        let command = serde_json::to_string(&["sh", "-c", program]).unwrap();
        let desk = Desk::with(&format!(
            "{}[evaluate]\ncommand = {command}\ntimeout = \"300ms\"\n",
            PLAIN.replace("= 5", "= 2")
        ));
        let said = desk.hilltop(&["run", "study.toml"]);
        let told = format!("error: all 2 evaluations failed\n  because {reason}\n");
        assert!(said.code == 1 && said.err.ends_with(&told), "{program}: {said:?}");
        assert!(
            said.err
                .starts_with(&format!("trial 0 failed: {reason}\ntrial 1 failed: {reason}\n")),
            "{program}: {said:?}"
        );
        assert!(
            desk.trials()
                .iter()
                .all(|trial| trial["state"] == "failed" && trial["reason"] == *reason)
        );
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_is_missing_spends_no_budget() {
    let desk = Desk::with(&format!("{PLAIN}[evaluate]\ncommand = [\"no-such-program\"]\n"));
    let said = desk.hilltop(&["run", "study.toml"]);
    let expected =
        "error: the program no-such-program was not found on the search path: install it or correct evaluate.command\n";
    assert_eq!((said.code, said.err.as_str()), (2, expected));
    assert!(!desk.path("study.db").exists());
    assert!(
        desk.hilltop(&["check", "study.toml"])
            .ok()
            .contains("warning: the program no-such-program was not found")
    );
}
