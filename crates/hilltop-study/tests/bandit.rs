//! Contextual bandits: arms given with the ask, in Rust and on the line, replayed and continued from the journal.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;

use hilltop_core::{Event, Outcome, Rng};
use hilltop_study::{Asked, Statement, Store, Study, StudyFile, session};
use serde_json::{Value, json};
use support::Watched;

fn statement(method: &str) -> Statement {
    let text =
        format!("seed = 3\nmethod = {method}\n[contexts]\nfeatures = 3\n[outputs]\nreward = {{ maximize = true }}\n");
    StudyFile::new("bandit.toml", text).check().unwrap()
}

fn open(method: &str, journal: &Watched) -> Study {
    Study::open(statement(method), Store::new(journal.clone())).unwrap()
}

fn arms(round: u64, count: usize) -> Vec<Vec<f64>> {
    let mut rng = Rng::keyed(1, &[round]);
    (0..count)
        .map(|_| (0..3).map(|_| rng.between(-1.0, 1.0)).collect())
        .collect()
}

fn tell(study: &Study, asked: &Asked, arms: &[Vec<f64>]) {
    let arm = &arms[asked.arm.unwrap()];
    let reward = (arm[0] - arm[1]).powi(2) + 0.1 * Rng::keyed(2, &[asked.trial]).normal();
    study
        .tell(
            asked.trial,
            &Outcome::Outputs(BTreeMap::from([("reward".into(), reward)])),
        )
        .unwrap();
}

fn play(study: &Study, rounds: std::ops::Range<u64>) {
    for round in rounds {
        let arms = arms(round, 3 + (round % 4) as usize);
        let asked = study.ask_among(1 + (round % 3) as usize, &arms).unwrap();
        // Of a batch the last is told first, and now and then one is never told.
        asked
            .iter()
            .rev()
            .skip((round % 5 == 4).into())
            .for_each(|asked| tell(study, asked, &arms));
    }
}

const METHODS: [&str; 8] = [
    "\"neural-ucb\"",
    "\"neural-ts\"",
    "{ name = \"neural-ucb\", covariance = \"diagonal\" }",
    "{ name = \"neural-ts\", draw = \"pointwise\", width = 200 }",
    "\"lin-ucb\"",
    "\"lin-ts\"",
    "\"random\"",
    "\"auto\"",
];

#[test]
fn a_bandit_replays_and_after_a_restart_equals_one_that_never_stopped() {
    for method in METHODS {
        let whole = Watched::default();
        let study = open(method, &whole);
        play(&study, 0..15);
        assert_eq!(study.replay().unwrap().difference, None, "{method}");
        let parted = Watched::default();
        for rounds in [0..5, 5..6, 6..15] {
            play(&open(method, &parted), rounds);
        }
        assert_eq!(parted.events(), whole.events(), "{method}");
    }
}

#[test]
fn the_journal_keeps_the_arms_as_they_were_given() {
    let journal = Watched::default();
    let study = open("\"neural-ucb\"", &journal);
    let arms = vec![
        vec![0.1, 0.2, 0.3],
        vec![1.0, -1.0, 0.123_456_789_012_345_67],
        vec![0.0, 0.0, 0.0],
    ];
    let asked = study.ask_among(2, &arms).unwrap();
    let choices: Vec<_> = journal
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Asked { choice, .. } => choice,
            _ => None,
        })
        .collect();
    assert_eq!(choices.len(), 2);
    assert_eq!((&choices[0].arms, &choices[1].arms), (&arms, &arms));
    assert_eq!(
        (choices[0].arm, choices[1].arm),
        (asked[0].arm.unwrap(), asked[1].arm.unwrap())
    );
    assert_eq!((choices[0].taken.len(), &choices[1].taken), (0, &vec![choices[0].arm]));
    let text = serde_json::to_string(&journal.events()).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Event>>(&text).unwrap(), journal.events());
    assert_eq!(study.trials().unwrap()[1].arm, asked[1].arm);
}

fn line(study: &Study, line: &str) -> Value {
    session::answer(study, line)
}

#[test]
fn a_round_on_the_line_names_the_arm_and_its_features() {
    let study = open("\"lin-ucb\"", &Watched::default());
    let answer = line(&study, r#"{"ask": 1, "arms": [[0.1, 0.2, 0.3], [0.5, -0.25, 1]]}"#);
    let trial = &answer["trials"][0];
    let arm = trial["arm"].as_u64().unwrap();
    let features = [
        json!({ "x1": 0.1, "x2": 0.2, "x3": 0.3 }),
        json!({ "x1": 0.5, "x2": -0.25, "x3": 1.0 }),
    ];
    assert_eq!(trial["parameters"], features[arm as usize]);
    assert_eq!(
        line(&study, r#"{"arms": [[0, 0, 0]], "ask": 1}"#)["trials"][0]["parameters"],
        json!({ "x1": 0.0, "x2": 0.0, "x3": 0.0 })
    );
    let told = line(&study, r#"{"tell": {"trial": 0, "outputs": {"reward": 2.5}}}"#);
    assert_eq!(told, json!({ "told": { "trial": 0 } }));
}

#[test]
fn wrong_arms_are_answered_by_what_is_wrong_and_change_nothing() {
    let study = open("\"neural-ucb\"", &Watched::default());
    for (asked, code, named) in [
        (r#"{"ask": 1}"#, "bad-arms", "give the arms"),
        (r#"{"ask": 1, "arms": []}"#, "bad-arms", "at least one"),
        (
            r#"{"ask": 3, "arms": [[0, 0, 0], [0, 0, 1]]}"#,
            "bad-arms",
            "3 of 2 arms",
        ),
        (
            r#"{"ask": 1, "arms": [[0, 0, 0], [0, 0]]}"#,
            "bad-arms",
            "arm 1 has 2 features; every arm of the study has 3",
        ),
        (
            r#"{"ask": 1, "arms": [[0, 0, 0, 0]]}"#,
            "bad-arms",
            "arm 0 has 4 features",
        ),
        (
            r#"{"ask": 1, "arms": [[0, 0, 0], [0, 0, 1.5]]}"#,
            "bad-arms",
            "arm 1 cannot be used",
        ),
        (
            r#"{"ask": 1, "arms": [[0, 0, null]]}"#,
            "bad-arms",
            "feature 2 of arm 0 is null, not a number",
        ),
        (r#"{"ask": 1, "arms": [[0, 0, NaN]]}"#, "malformed", "not JSON"),
        (r#"{"ask": 1, "arms": [0, 0, 0]}"#, "bad-arms", "arm 0 is not a list"),
        (r#"{"ask": 1, "arms": "all"}"#, "bad-arms", "not a list of arms"),
        (r#"{"ask": 0, "arms": [[0, 0, 0]]}"#, "malformed", "from 1"),
        (
            r#"{"best": true, "arms": [[0, 0, 0]]}"#,
            "malformed",
            "exactly one command",
        ),
    ] {
        let error = &line(&study, asked)["error"];
        assert_eq!(error["code"], code, "{asked}: {error}");
        assert!(error["message"].as_str().unwrap().contains(named), "{asked}: {error}");
    }
    for value in [f64::NAN, f64::INFINITY] {
        let message = study.ask_among(1, &[vec![0.0, 0.0, value]]).unwrap_err().to_string();
        assert!(
            message.contains("arm 0 cannot be used") && message.contains("x3"),
            "{message}"
        );
    }
    assert!(study.trials().unwrap().is_empty());
    let plain = Study::open(support::witnessed(), Store::new(Watched::default())).unwrap();
    let error = &line(&plain, r#"{"ask": 1, "arms": [[0, 0]]}"#)["error"];
    assert!(error["message"].as_str().unwrap().contains("no [contexts]"), "{error}");
}

#[test]
fn a_wrong_contexts_section_is_told_at_its_key() {
    let outputs = "[outputs]\nreward = { maximize = true }\n";
    for (text, named) in [
        ("[contexts]\n", "contexts.features is missing"),
        ("[contexts]\nfeatures = 0\n", "contexts.features = 0"),
        ("[contexts]\nfeatures = 2.5\n", "contexts.features = 2.5"),
        ("[contexts]\nfeatures = []\n", "contexts.features = []"),
        ("[contexts]\nfeatures = [\"a\", \"a\"]\n", "`a`"),
        ("[contexts]\nfeatures = 2\nbounds = [1, -1]\n", "below the upper"),
        (
            "[contexts]\nfeatures = 2\nbounds = [[0, 1]]\n",
            "each of the 2 features",
        ),
        ("[contexts]\nfeatures = 2\nbounds = [0]\n", "contexts.bounds = [0]"),
        ("[contexts]\nfeatures = 2\nboundss = [0, 1]\n", "did you mean bounds"),
        ("noisy = false\n[contexts]\nfeatures = 2\n", "may come again"),
        (
            "method = \"cma-es\"\n[contexts]\nfeatures = 2\n",
            "cma-es cannot choose among arms",
        ),
        (
            "[contexts]\nfeatures = 2\n[parameters]\nx = { float = [0, 1] }\n",
            "[parameters] and [contexts] exclude",
        ),
        (
            "budget = 3\n[contexts]\nfeatures = 2\n[evaluate]\nproblem = \"branin\"\n",
            "[contexts] and [evaluate] exclude",
        ),
    ] {
        let message = StudyFile::new("b.toml", format!("{text}{outputs}"))
            .check()
            .unwrap_err()
            .to_string();
        assert!(message.contains(named), "{text}: {message}");
    }
    let named = "[contexts]\nfeatures = [\"age\", \"price\"]\nbounds = [[0, 100], [-1, 1]]\n";
    let statement = StudyFile::new("b.toml", format!("{named}{outputs}")).check().unwrap();
    assert!(statement.contexts && statement.noisy);
    let study = Study::open(statement, Store::new(Watched::default())).unwrap();
    let asked = study.ask_among(1, &[vec![47.0, -0.5]]).unwrap();
    assert_eq!(asked[0].parameters.to_string(), "age = 47.0, price = -0.5");
}
