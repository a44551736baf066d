//! Study files: what is right means what it says, and what is wrong is named with its line, key, value and what is
//! allowed.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use hilltop_core::{Goal, Kind, Value};
use hilltop_study::evaluate::Results;
use hilltop_study::{Error, Evaluate, Statement, StudyFile};
use proptest::prelude::*;

const WHOLE: &str = r#"
name = "compressor"
seed = 7
budget = 200
parallel = 4
method = { name = "random" }
noisy = true
asynchronous = true

[parameters]
length = { float = [20, 50] }
ratio  = { float = [1e-4, 1], log = true }
angle  = { float = [0, 90], step = 0.5 }
blades = { int = [3, 12] }
cells  = { int = [16, 4096], log = true }
steel  = { choice = ["s235", "s355", "duplex"] }
grade  = { ordered = ["low", "mid", "high"] }
damper = { float = [0, 1], when = "steel == 'duplex'" }
gap    = { value = 3.5 }

[outputs]
cost   = { minimize = true }
stress = { max = 250 }
temp   = { min = 20, max = 90 }
mass   = {}

[constraints]
known = ["length * ratio <= 32", "blades < cells"]

[evaluate]
command = ["sh", "simulate.sh", "--length", "{length}", "--steel={steel}", "{{}}"]
timeout = "10m"
retries = 1
results = { file = "results-{trial}.json" }
"#;

fn check(text: &str) -> Result<Statement, Error> {
    StudyFile::new("folder/study.toml", text).check()
}

fn complaint(text: &str) -> String {
    match check(text) {
        Err(error @ Error::File { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("nothing is wrong with\n{text}"),
    }
}

#[test]
fn a_whole_file_means_what_it_says() {
    let statement = check(WHOLE).unwrap();
    assert_eq!(
        (statement.name.as_str(), statement.seed, statement.budget),
        ("compressor", 7, Some(200))
    );
    assert_eq!(
        (statement.parallel, statement.noisy, statement.asynchronous),
        (4, true, true)
    );
    let names: Vec<&str> = statement
        .space
        .parameters()
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "length", "ratio", "angle", "blades", "cells", "steel", "grade", "damper", "gap"
        ]
    );
    let kinds: Vec<&Kind> = statement
        .space
        .parameters()
        .iter()
        .map(|parameter| &parameter.kind)
        .collect();
    assert_eq!(
        *kinds[1],
        Kind::Float {
            low: 1e-4,
            high: 1.0,
            log: true,
            step: None
        }
    );
    assert_eq!(
        *kinds[2],
        Kind::Float {
            low: 0.0,
            high: 90.0,
            log: false,
            step: Some(0.5)
        }
    );
    assert_eq!(
        *kinds[4],
        Kind::Int {
            low: 16,
            high: 4096,
            log: true
        }
    );
    assert_eq!(
        *kinds[8],
        Kind::Fixed {
            value: Value::Float(3.5)
        }
    );
    assert_eq!(statement.space.known().len(), 2);
    let goals: Vec<Goal> = statement.outputs.iter().map(|output| output.goal).collect();
    let within = |min, max| Goal::Within { min, max };
    assert_eq!(
        goals,
        [
            Goal::Minimize,
            within(None, Some(250.0)),
            within(Some(20.0), Some(90.0)),
            Goal::Observe
        ]
    );
    let Some(Evaluate::Command(command)) = &statement.evaluate else {
        panic!("no command")
    };
    assert_eq!((command.timeout, command.retries), (Some(Duration::from_secs(600)), 1));
    assert_eq!(command.folder.to_str(), Some("folder"));
    assert!(matches!(&command.results, Results::File(file) if file.to_string() == "results-{trial}.json"));
    let warnings = statement.warnings().join("\n");
    assert!(
        warnings.contains("random does not learn the limits of stress, temp"),
        "{warnings}"
    );
}

#[test]
fn what_is_left_out_has_its_default() {
    let statement = check("[parameters]\nx = { float = [0, 1] }\n[outputs]\ny = { maximize = true }\n").unwrap();
    assert_eq!(
        (statement.name.as_str(), statement.seed, statement.budget),
        ("study", 0, None)
    );
    assert_eq!(
        (statement.parallel, statement.noisy, statement.asynchronous),
        (1, false, false)
    );
    assert_eq!(statement.method.name(), "auto");
    assert!(statement.evaluate.is_none());
    assert!(matches!(statement.evaluator(), Err(Error::NoEvaluator)));
}

#[test]
fn a_problem_brings_its_own_parameters_and_outputs() {
    let statement = check("budget = 5\n[evaluate]\nproblem = \"branin\"\nnoise = 0.1\n").unwrap();
    assert_eq!(statement.space.dim(), 2);
    assert_eq!(statement.outputs[0].goal, Goal::Minimize);
    assert!(statement.evaluator().is_ok());
}

#[test]
fn candidates_come_from_a_file_beside_the_study() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("alloys.csv"),
        "name,zinc,tin\na,0.1,5\nb,0.2,6\nc,0.3,7\n",
    )
    .unwrap();
    let text =
        |rest: &str| format!("[candidates]\nfile = \"alloys.csv\"\n{rest}[outputs]\ny = {{ minimize = true }}\n");
    let check = |rest: &str| StudyFile::new(folder.path().join("study.toml"), text(rest)).check();
    assert_eq!(check("").unwrap().space.dim(), 2);
    assert_eq!(check("features = [\"tin\"]\n").unwrap().space.dim(), 1);
    let kept = check("[constraints]\nknown = [\"zinc < 0.25\"]\n").unwrap();
    assert_eq!(kept.space.candidates().unwrap().len(), 2);
    assert_eq!(kept.description()["constraints"]["known"][0], "zinc < 0.25");
    let message = check("[constraints]\nknown = [\"zin < 0.25\"]\n")
        .unwrap_err()
        .to_string();
    assert!(message.contains("did you mean zinc?"), "{message}");
    let message = check("features = [\"lead\"]\n").unwrap_err().to_string();
    assert!(message.contains("lead") && message.contains("zinc"), "{message}");
}

#[test]
fn candidates_may_be_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let table = "name,a,b,c,d\nbar,0,8,0,8\ndot,0,0,4,0\n";
    std::fs::write(folder.path().join("images.csv"), table).unwrap();
    let check = |rest: &str| {
        let text = format!("[candidates]\nfile = \"images.csv\"\n{rest}[outputs]\ny = {{ minimize = true }}\n");
        StudyFile::new(folder.path().join("study.toml"), text).check()
    };
    let images = check("shape = [2, 2]\n").unwrap();
    assert_eq!(images.space.shape(), Some([2, 2].as_slice()));
    assert_eq!(images.description()["candidates"]["shape"], serde_json::json!([2, 2]));
    assert!(check("").unwrap().description()["candidates"].get("shape").is_none());
    for (shape, words) in [
        (
            "[8, 8]",
            "line 3, column 9: candidates.shape = [8, 8] is not allowed: the shape [8, 8] has 64 places",
        ),
        (
            "[2, 0]",
            "candidates.shape[1] = 0 is not allowed: a whole number from 1 on",
        ),
        ("[2.0, 2]", "candidates.shape[0] = 2.0 is not allowed"),
        (
            "4",
            "candidates.shape = 4 is not allowed: a list of whole numbers such as [8, 8]",
        ),
        ("[]", "one to three extents"),
    ] {
        let message = check(&format!("shape = {shape}\n")).unwrap_err().to_string();
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(check("shape = [4]\n").unwrap().space.shape(), Some([4].as_slice()));
}

/// One wrong file a row: what stands for the head, what for the rest, and words of the complaint.
#[rustfmt::skip]
const WRONG: &[(&str, &str)] = &[
    ("seed = -1", "line 1, column 8: seed = -1 is not allowed: a whole number from 0 on"),
    ("seed = 1.5", "seed = 1.5 is not allowed: a whole number"),
    ("seed = 99999999999999999999", "line 1, column 8: seed"),
    ("seed = 7\nseed = 8", "line 2"),
    ("budget = 0", "budget = 0 is not allowed: a whole number from 1 on"),
    ("budget = \"many\"", "budget = \"many\" is not allowed"),
    ("bugdet = 9", "line 1, column 1: bugdet is not a known key: did you mean budget?"),
    ("colour = 9", "colour is not a known key: allowed are name, seed"),
    ("parallel = 0", "parallel = 0 is not allowed"),
    ("parallel = 5000", "a whole number from 1 to 1024"),
    ("name = 3", "name = 3 is not allowed: a text"),
    ("noisy = 1", "noisy = 1 is not allowed: true or false"),
    ("asynchronous = \"yes\"", "asynchronous = \"yes\" is not allowed: true or false"),
    ("method = \"neuralbo\"", "method"),
    ("method = 3", "method"),
    ("method = { width = 3 }", "method"),
    ("method = 2020-01-01", "method = 2020-01-01 is not allowed"),
    ("[physics]\nequation = \"d(f,x,z) = 0\"", "line 2, column 19: physics.equation: unknown name `z`; known are f, c, x"),
    ("[physics]\nequation = \"d(f,x,x)\"", "line 2, column 21: physics.equation: an equation has one `=`"),
    ("[physics]\nequation = 3", "line 2, column 12: physics.equation = 3 is not allowed: a text such as \"d(f,x,x)"),
    ("[physics]\nequation = \"\\td(f,z) = 0\"", "line 2, column 12: physics.equation: unknown name `z`; known are f, c, x (column 6 of the text)"),
    ("[physics]\nequation = \"\"\"\nd(f,x)\n = z\"\"\"", "line 4, column 4: physics.equation: unknown name `z`"),
    ("[physics]\nequations = [\"f = x\", 'd(f,x,x,x,x,x) = 0']", "line 2, column 24: physics.equations[1]: a derivative of order 5; at most 4 is possible"),
    ("[physics]\nequations = []", "physics.equations = [] is not allowed: a list of equations"),
    ("[physics]\nequation = \"f = x\"\nequations = [\"f = x\"]", "[physics] has equation and equations: one of them is allowed"),
    ("[physics]\npoints = 500", "[physics] has nothing to say: add equation = a text such as"),
    ("[physics]\nequation = \"f = x\"\npoints = 0", "physics.points = 0 is not allowed: a whole number from 1 on"),
    ("[physics]\nequation = \"f = x\"\npoints = 2000000", "a whole number from 1 to 1000000"),
    ("[physics]\nequation = \"f = x\"\ncollocation = \"often\"", "physics.collocation = \"often\" is not allowed: \"fixed\", \"redrawn\" or \"adaptive\""),
    ("[physics]\nequation = \"f = x\"\npoint = 5", "physics.point is not a known key: did you mean points?"),
    ("[physics]\nproblem = true", "physics.problem = true is not allowed: only where [evaluate] names a built-in problem with an equation"),
    ("[physics]\nequation = \"f = k\"\nfunctions = { k = \"y + 1\" }", "line 3, column 20: physics.functions.k: unknown name `y`"),
    ("[physics]\nequation = \"f = sum(k)\"\nfunctions = { k = [\"x\", \"y\"] }", "line 3, column 26: physics.functions.k[1]: unknown name `y`"),
    ("[physics]\nequation = \"f = k\"\nfunctions = { k = true }", "physics.functions.k = true is not allowed: an expression such as"),
    ("[physics]\nequation = \"f = x\"\nfunctions = { x = \"1\" }", "physics.functions.x: `x` is a parameter already"),
    ("[physics]\nvalues = [{ at = \"x == 3\", f = \"1\" }]", "line 2, column 24: physics.values[0].at: `x` = 3 is outside its bounds, 0 to 1"),
    ("[physics]\nvalues = [{ at = \"x == 0\", f = \"y\" }]", "line 2, column 33: physics.values[0].f: unknown name `y`"),
    ("[physics]\nvalues = [{ at = \"x == 0\" }]", "what is known there is missing: add f = an expression"),
    ("[physics]\nvalues = [{ at = \"x == 0\", f = 1, equation = \"d(f,x) = 0\" }]", "a value and an equation exclude each other"),
    ("[physics]\nvalues = [{ at = 0, f = 1 }]", "physics.values[0].at = 0 is not allowed: a place such as"),
    ("[physics]\nvalues = [3]", "physics.values[0] = 3 is not allowed: a list of tables such as"),
    ("[physics]\nvalues = 3", "physics.values = 3 is not allowed: a list of tables such as"),
    ("physics = 3", "physics = 3 is not allowed: a section"),
    ("[constraints]\nmax_violation = 1.5", "a share of the trials, from 0 to 1"),
    ("[constraints]\nknown = \"x < 1\"", "constraints.known = \"x < 1\" is not allowed: a list"),
    ("[constraints]\nknown = [\"x <\"]", "line 2, column 10: constraints.known[0] = \"x <\" is not allowed: column 4"),
    ("[constraints]\nknown = [\"y < 3\"]", "there is no parameter y: did you mean x?"),
    ("[constraints]\nknown = [3]", "constraints.known[0] = 3"),
    ("[constraints]\nknown = [\"x > 2\"]", "line 1, column 2: no point satisfies the known constraints"),
    ("[constraints]\nknown = [\"x + 1\"]", "x + 1"),
    ("[parameters.\"\"]\nfloat = [0, 1]", "the parameter name `` is not usable"),
    ("[constraints]\nknow = []", "did you mean known?"),
    ("[parameters.y]\nfloat = [0]", "parameters.y.float = [0] is not allowed: two numbers, [low, high]"),
    ("[parameters.y]\nfloat = [1, 0]", "the low end must be below the high one"),
    ("[parameters.y]\nfloat = [0, inf]", "parameters.y.float[1] = inf is not allowed: a finite number"),
    ("[parameters.y]\nfloat = [0, nan]", "a finite number"),
    ("[parameters.y]\nfloat = [\"a\", 1]", "parameters.y.float[0] = \"a\" is not allowed: a finite number"),
    ("[parameters.y]\nfloat = [0, 1]\nlog = true", "with log = true the low end must be above 0"),
    ("[parameters.y]\nfloat = [0, 1]\nlog = 1", "parameters.y.log = 1 is not allowed: true or false"),
    ("[parameters.y]\nfloat = [0, 1]\nstep = 0", "parameters.y.step = 0 is not allowed: a number above 0 and at most 1"),
    ("[parameters.y]\nfloat = [0, 1]\nstep = 2", "at most 1, the range"),
    ("[parameters.y]\nfloat = [1, 2]\nlog = true\nstep = 0.5", "exclude each other"),
    ("[parameters.y]\nint = [1, 2.5]", "parameters.y.int[1] = 2.5 is not allowed: a whole number"),
    ("[parameters.y]\nint = [1, 9]\nstep = 2", "parameters.y.step is not a known key"),
    ("[parameters.y]\nchoice = []", "at least two options"),
    ("[parameters.y]\nchoice = [\"a\"]", "at least two options"),
    ("[parameters.y]\nchoice = [\"a\", \"a\"]", "listed twice"),
    ("[parameters.y]\nchoice = [\"a\", []]", "parameters.y.choice[1] = [] is not allowed: a text"),
    ("[parameters.y]\nordered = 3", "parameters.y.ordered = 3 is not allowed"),
    ("[parameters.y]\nfloat = [0, 1]\nint = [0, 1]", "parameters.y has float and int: one of them is allowed"),
    ("[parameters.y]\nflaot = [0, 1]", "parameters.y.flaot is not a known key: did you mean float?"),
    ("[parameters]\ny = 3", "parameters.y = 3 is not allowed: a table such as"),
    ("[parameters.y]\nfloat = [0, 1]\nwhen = \"x >\"", "parameters.y.when"),
    ("[parameters.y]\nfloat = [0, 1]\nwhen = \"z > 0\"", "z"),
    ("[parameters.y]\nfloat = [0, 1]\nwhen = \"y > 0\"", "y"),
    ("[outputs.d]\nmaximize = true", "outputs.c is a second objective beside d: exactly one is allowed"),
    ("[outputs.d]\nmin = 3\nmax = 1", "min = 3 is above max = 1"),
    ("[outputs.d]\nmax = \"low\"", "outputs.d.max = \"low\" is not allowed: a finite number"),
    ("[outputs.d]\nminimise = true", "did you mean minimize?"),
    ("[outputs.d]\nminimize = true\nmax = 3", "an objective has no limits"),
    ("[outputs.d]\nminimize = false", "outputs.d.minimize = false is not allowed: true"),
    ("[outputs]\nd = 1", "outputs.d = 1 is not allowed: a table"),
    ("[evaluate]", "[evaluate] needs a command or a problem"),
    ("[evaluate]\ncommand = \"sh\"", "evaluate.command = \"sh\" is not allowed: a list of texts"),
    ("[evaluate]\ncommand = []", "evaluate.command = [] is not allowed"),
    ("[evaluate]\ncommand = [\"sh\", 3]", "evaluate.command[1] = 3 is not allowed"),
    ("[evaluate]\ncommand = [\"sh\", \"{y}\"]", "the placeholder {y} names no parameter: did you mean {x}?"),
    ("[evaluate]\ncommand = [\"sh\", \"{x\"]", "a { without its }"),
    ("[evaluate]\ncommand = [\"sh\"]", "budget is missing"),
    ("[evaluate]\ncommand = [\"sh\"]\nproblem = \"branin\"", "one of them is allowed"),
    ("[evaluate]\ncommand = [\"sh\"]\ntimeout = \"soon\"", "evaluate.timeout = \"soon\" is not allowed: a duration"),
    ("[evaluate]\ncommand = [\"sh\"]\ntimeout = -3", "a duration above 0"),
    ("[evaluate]\ncommand = [\"sh\"]\nretries = -1", "evaluate.retries = -1"),
    ("[evaluate]\ncommand = [\"sh\"]\nresults = \"a.json\"", "a table { file = \"results.json\" }"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = \"dakotta\"", "evaluate.coupling = \"dakotta\" is not allowed"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = { format = \"json\" }", "evaluate.coupling"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = { name = \"dakota\", format = \"xml\" }", "standard, aprepro, json"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = { name = \"dakota\", keep = 3 }", "all, failed, none"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = { name = \"dakota\", work = \"here\" }", "a folder with {trial} in its name"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = { name = \"dakota\", results = \"../out\" }", "without a folder"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = { name = \"dakota\", results = \"params.in\" }", "params.in names two files"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = { name = \"dakota\", templates = { \"a/b\" = \"c\" } }", "without a folder"),
    ("[evaluate]\ncommand = [\"sh\"]\ncoupling = \"dakota\"\nresults = { file = \"a\" }", "exclude each other"),
    ("[evaluate]\nproblem = \"branin\"\ncoupling = \"dakota\"", "evaluate.coupling belongs to a command"),
    ("[evaluate]\ncommand = [\"sh\"]\nnoise = 1", "evaluate.noise belongs to a problem"),
    ("[evaluate]\nproblem = \"brannin\"", "evaluate.problem = \"brannin\" is not allowed"),
    ("[evaluate]\nproblem = \"branin\"\nnoise = -1", "evaluate.noise = -1"),
    ("[evaluate]\nproblem = \"branin\"", "the problem branin takes x1 to x2, and x1 is missing"),
    ("[candidates]\nfile = \"a.csv\"", "[parameters] and [candidates] exclude each other"),
    ("seed = ", "line 1, column"),
    ("seed = [[[[", "line 2, column 2"),
    ("= 3", "line 1, column 1"),
    ("[parameters", "line 1"),
    ("seed = \"\\q\"", "line 1"),
    ("\u{0}", "line 1"),
];

#[test]
fn one_mistake_is_one_finding() {
    for text in [
        "[parameters]\nx = { float = [0, 1] }\n[outputs]\nc = { max = 1 }",
        "budget = 1\n[evaluate]\nproblem = \"brannin\"",
        "[parameters]\nx = { flaot = [0, 1] }\n[outputs]\nc = { minimize = true }",
    ] {
        let message = complaint(text);
        assert_eq!(message.matches("line ").count(), 1, "{message}");
    }
}

#[test]
fn everything_wrong_is_named_with_its_place_and_what_is_allowed() {
    for (head, words) in WRONG {
        let mut text = format!("{head}\n");
        for (section, line) in [
            ("parameters", "x = { float = [0, 1] }"),
            ("outputs", "c = { minimize = true }"),
        ] {
            // A section that the head has begun goes on there.
            let begun = format!("[{section}]\n");
            text = if text.contains(&begun) {
                text.replacen(&begun, &format!("{begun}{line}\n"), 1)
            } else {
                format!("{text}[{section}]\n{line}\n")
            };
        }
        let message = complaint(&text);
        assert!(message.contains(words), "{text}\ngave: {message}\nexpected: {words}");
        assert!(message.starts_with("folder/study.toml"), "{message}");
    }
}

#[test]
fn missing_sections_are_named() {
    let message = complaint("seed = 1\n");
    assert!(
        message.contains("parameters are missing") && message.contains("outputs are missing"),
        "{message}"
    );
    assert!(complaint("parameters = 3").contains("parameters = 3 is not allowed: a section of parameters"));
    assert!(complaint("[parameters]\n[outputs]\nc = { minimize = true }").contains("[parameters] is empty"));
    let none = complaint("[parameters]\nx = { float = [0, 1] }\n[outputs]\nc = { max = 1 }");
    assert!(none.contains("[outputs] has no objective"), "{none}");
}

#[test]
fn several_errors_are_told_together_in_the_order_of_the_file() {
    let message =
        complaint("seed = -1\nbugdet = 3\n[parameters]\nx = { float = [3, 1] }\n[outputs]\nc = { minimize = 1 }");
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[0], "folder/study.toml has 4 errors:");
    let numbers: Vec<&str> = lines[1..]
        .iter()
        .filter_map(|line| line.trim().split(',').next())
        .collect();
    assert_eq!(numbers, ["line 1", "line 2", "line 4", "line 6"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent.toml");
    assert!(matches!(
        Statement::load(&absent),
        Err(Error::Access { action: "read", .. })
    ));
    let latin = folder.path().join("latin.toml");
    std::fs::write(&latin, b"seed = 1\nname = \"gr\xf6sse\"\n").unwrap();
    let message = Statement::load(&latin).unwrap_err().to_string();
    assert!(
        message.contains("line 2, column 11") && message.contains("UTF-8"),
        "{message}"
    );
}

#[test]
fn a_description_survives_the_store_and_equals_itself() {
    let statement = check(WHOLE).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&statement.description().to_string()).unwrap();
    assert_eq!(
        stored,
        check(&WHOLE.replace("[20, 50]", "[20.0, 5e1]")).unwrap().description()
    );
    assert_eq!(stored["parameters"]["damper"]["when"], "steel == 'duplex'");
}

proptest! {
    #[test]
    fn no_text_brings_the_reader_down(text in prop_oneof![".{0,80}", "(\\[[a-z.]{1,9}\\]|[a-z]{1,8} ?= ?[-0-9a-z\"\\[\\]{},. ]{0,12}|\n){0,12}"]) {
        prop_assert!(check(&text).is_err());
    }

    #[test]
    fn no_damage_to_a_whole_file_brings_the_reader_down(at in 0..WHOLE.len(), gone in 0_usize..9, new in ".{0,3}") {
        let mut text = WHOLE.to_owned();
        text.replace_range(at..(at + gone).min(WHOLE.len()), &new);
        // It may still be right; what matters is that the answer comes.
        let _ = check(&text);
    }
}
